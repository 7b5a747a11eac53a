// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/probe_bar.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

namespace ui {

ProbeBar::ProbeBar(QWidget* parent)
    : QWidget(parent), m_text(new ElidedLabel(this)), m_progress(new QProgressBar(this)),
      m_button(new QPushButton(tr("Try Other Inputs"), this)) {
    m_text->setProperty("role", "muted");
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(120);
    m_progress->setAccessibleName(tr("Progress of other inputs"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_text, 1);
    row->addWidget(m_progress);
    row->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this,
            [this] { m_session->isProbing() ? m_session->cancelProbe() : m_session->probe(); });
    setSession(nullptr);
}

void ProbeBar::setSession(RunSession* session) {
    if (m_session) m_session->disconnect(this);
    m_session = session;
    if (session) {
        connect(session, &RunSession::verifyChanged, this, &ProbeBar::show);
        connect(session, &RunSession::probeProgressed, this, &ProbeBar::showProgress);
    }
    show();
}

void ProbeBar::show() {
    const Verification* known =
        m_session && m_session->state() == RunSession::State::Done ? m_session->current() : nullptr;
    const bool open = known && known->report->verdict == fx::Verdict::Inconclusive;
    setVisible(open && (m_session->isProbing() || known->report->probes.empty()));
    if (!open) return;
    const bool probing = m_session->isProbing();
    m_progress->setVisible(probing);
    m_button->setText(probing ? tr("Cancel") : tr("Try Other Inputs"));
    m_button->setToolTip(probing ? tr("Stop and keep the verdict")
                                 : tr("Run both models on other inputs and inputs of other scales"));
    if (probing) return showProgress();
    m_text->setText(!known->probeError ? tr("Other inputs may decide it")
                    : known->probeError->kind() == fx::ErrorKind::Cancelled
                        ? tr("Trying other inputs was cancelled")
                        : tr("Could not run other inputs: %1").arg(linesFromCore(known->probeError->what())));
    m_text->setToolTip(plainToolTip(m_text->text()));
}

void ProbeBar::showProgress() {
    if (!m_session->isProbing()) return;
    m_progress->setValue(static_cast<int>(m_session->probeDone() * 1000));
    m_text->setText(tr("Trying other inputs: %1").arg(m_session->probeStep()));
    m_text->setToolTip(plainToolTip(m_text->text()));
}

} // namespace ui

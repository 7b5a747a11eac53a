// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/busy_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <utility>

namespace ui {

namespace {
constexpr int kPatience = 400; // ms: what ends sooner is not worth a flicker
}

BusyBar::BusyBar(QWidget* parent)
    : QWidget(parent), m_what(new QLabel(this)), m_done(new QProgressBar(this)), m_button(new QToolButton(this)) {
    m_what->setTextFormat(Qt::PlainText);
    m_what->setProperty("role", "muted");
    m_done->setFixedSize(120, 6);
    m_done->setTextVisible(false);
    m_done->setAccessibleName(tr("Progress"));
    m_button->setText(tr("Cancel"));
    m_button->setToolTip(tr("Stop this; the model stays as it is"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(8);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_what), static_cast<QWidget*>(m_done), static_cast<QWidget*>(m_button)})
        row->addWidget(widget);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatience);
    connect(&m_patience, &QTimer::timeout, this, &QWidget::show);
    connect(m_button, &QToolButton::clicked, this, [this] {
        const auto cancel = m_cancel;
        end();
        if (cancel) cancel();
    });
    hide();
}

void BusyBar::begin(const QString& what, std::function<void()> cancel) {
    m_cancel = std::move(cancel);
    report(what, 0);
    if (!isVisible()) m_patience.start();
}

void BusyBar::report(const QString& what, double done) {
    if (!what.isEmpty()) m_what->setText(what);
    m_done->setRange(0, done > 0 ? 1000 : 0);
    m_done->setValue(static_cast<int>(done * 1000));
}

void BusyBar::end() {
    m_cancel = nullptr;
    m_patience.stop();
    hide();
}

} // namespace ui

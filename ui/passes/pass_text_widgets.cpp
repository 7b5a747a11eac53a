// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel is made of.
#include "ui/code/code_view.h"
#include "ui/passes/pass_text_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {
constexpr int kPauseOfTyping = 350; // ms
}

PassTextPanel::PassTextPanel(RunCenter& run, QWidget* parent)
    : QWidget(parent), m_runs(run), m_editor(new CodeView(this)) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    m_editor->setEditable(true);
    m_editor->setAccessibleName(tr("Text of the pass"));
    m_editor->installEventFilter(this);
    m_editor->SendScintilla(QsciScintilla::SCI_SETUNDOCOLLECTION, 1);
    m_editor->SendScintilla(QsciScintilla::SCI_AUTOCSETIGNORECASE, 0);
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_status->setContentsMargins(12, 0, 12, 0);
    m_hint = new QLabel(tr("Choose a pass file in the Passes panel, or begin one from a template there."), this);
    m_hint->setProperty("role", "muted");
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(2);
    column->addWidget(makeHead());
    column->addWidget(m_hint, 1);
    column->addWidget(m_editor, 1);
    column->addWidget(m_status);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseOfTyping);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        keep();
        check();
    });
    connect(m_editor, &CodeView::typed, this, &PassTextPanel::typed);
    connect(m_editor, &QsciScintilla::SCN_CHARADDED, this, &PassTextPanel::complete);
    connect(m_editor, &CodeView::applyRequested, this, [this] { m_run->click(); });
    showTitle();
}

QWidget* PassTextPanel::makeHead() {
    auto* head = new QWidget(this);
    m_title = new QLabel(head);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setProperty("role", "heading");
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_save = new QToolButton(head);
    m_save->setText(tr("Save"));
    m_save->setToolTip(tr("Save the text to its file"));
    auto* saveAs = new QToolButton(head);
    saveAs->setText(tr("Save As…"));
    saveAs->setEnabled(false);
    m_onSelection = new QToolButton(head);
    m_onSelection->setText(tr("Run on Selection"));
    m_onSelection->setToolTip(tr("Run this pass on the selected nodes"));
    m_run = new QPushButton(tr("Run"), head);
    m_run->setToolTip(tr("Run this pass on the whole model (Ctrl+Return)"));
    m_run->setProperty("primary", true);
    connect(m_save, &QToolButton::clicked, this, &PassTextPanel::save);
    connect(saveAs, &QToolButton::clicked, this, &PassTextPanel::saveAs);
    const auto run = [this](bool onSelection) {
        if (!m_pass || !m_session) return;
        keep();
        m_session->runAlone(*m_pass, onSelection);
    };
    connect(m_onSelection, &QToolButton::clicked, this, [run] { run(true); });
    connect(m_run, &QPushButton::clicked, this, [run] { run(false); });
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 4, 10, 2);
    row->setSpacing(4);
    row->addWidget(m_title, 1);
    for (QWidget* each : {static_cast<QWidget*>(m_save), static_cast<QWidget*>(saveAs),
                          static_cast<QWidget*>(m_onSelection), static_cast<QWidget*>(m_run)})
        row->addWidget(each);
    connect(this, &PassTextPanel::shown, saveAs, [this, saveAs] { saveAs->setEnabled(m_pass.has_value()); });
    return head;
}

} // namespace ui

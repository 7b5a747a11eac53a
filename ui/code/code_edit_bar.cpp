// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_edit_bar.h"

#include "ui/widgets/icon.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace ui {

CodeEditBar::CodeEditBar(CodeEditing* editing, QWidget* parent)
    : QFrame(parent), m_editing(editing), m_message(new QToolButton(this)), m_warning(new QLabel(this)),
      m_stop(new QPushButton(tr("Stop"), this)), m_merge(new QPushButton(tr("Merge"), this)),
      m_revert(new QPushButton(this)), m_apply(new QPushButton(tr("Apply"), this)) {
    setObjectName(QStringLiteral("codeEditBar"));
    m_message->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_message->setAutoRaise(true);
    m_warning->setProperty("role", "warning");
    m_warning->setTextFormat(Qt::PlainText);
    m_stop->setToolTip(tr("Stop checking; the text is kept"));
    m_merge->setToolTip(tr("Merge your changes into the current code"));
    m_apply->setToolTip(tr("Change the model to match this code (Ctrl+Return)"));
    m_apply->setProperty("primary", true);
    m_message->setAccessibleName(tr("State of the edited code"));
    m_revert->setAccessibleName(tr("Discard Code Changes"));
    for (QPushButton* button : {m_stop, m_merge, m_revert, m_apply}) button->setAutoDefault(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_message, 1);
    row->addWidget(m_warning);
    for (QPushButton* button : {m_stop, m_revert, m_merge, m_apply}) row->addWidget(button);
    connect(m_message, &QToolButton::clicked, this, [this] {
        if (m_editing->state() == CodeEditing::State::Faulty) Q_EMIT placeRequested();
    });
    connect(m_stop, &QPushButton::clicked, editing, &CodeEditing::stopCheck);
    connect(m_merge, &QPushButton::clicked, editing, &CodeEditing::merge);
    connect(m_revert, &QPushButton::clicked, editing, &CodeEditing::revert);
    connect(m_apply, &QPushButton::clicked, editing, &CodeEditing::apply);
    connect(editing, &CodeEditing::stateChanged, this, &CodeEditBar::showState);
    showState();
}

void CodeEditBar::showState() {
    using State = CodeEditing::State;
    const State state = m_editing->state();
    if (state == State::Clean && isAncestorOf(QApplication::focusWidget()))
        parentWidget()->setFocus(); // one goes on in the code
    setVisible(state != State::Clean);
    if (state == State::Clean) return;
    const bool outdated = state == State::Outdated, attention = outdated || state == State::Stopped;
    m_text = state == State::Checking && !m_editing->slow() ? tr("Checking…") : m_editing->summary();
    m_message->setIcon(state == State::Checking ? QIcon()
                                                : icon(state == State::Faulty ? QStringLiteral("error")
                                                       : attention            ? QStringLiteral("warning")
                                                                              : QStringLiteral("ok")));
    m_message->setProperty("state", state == State::Faulty ? "error" : attention ? "warning" : "");
    m_message->setStyle(style()); // takes up the changed property
    m_message->setAccessibleName(m_text);
    m_message->setToolTip(state == State::Faulty ? tr("%1\nClick to go to it.").arg(m_text) : m_text);
    const QStringList& warnings = m_editing->warnings();
    m_warning->setVisible(!warnings.isEmpty());
    m_warning->setToolTip(warnings.join(u'\n'));
    m_stop->setVisible(state == State::Checking && m_editing->slow());
    m_merge->setVisible(outdated);
    m_apply->setVisible(!outdated);
    m_apply->setEnabled(state != State::Faulty);
    m_revert->setText(outdated ? tr("Discard My Changes") : tr("Revert"));
    m_revert->setToolTip(outdated ? tr("Show the current code; press Ctrl+Z to restore your text")
                                  : tr("Discard your changes; press Ctrl+Z to restore them"));
    elide();
}

/// The message has the room that the buttons leave; one warning is told in words when there is room behind it.
void CodeEditBar::elide() {
    constexpr int kIcon = 48, kPadding = 24;
    int room = width() - 12;
    for (const QPushButton* button : {m_stop, m_revert, m_merge, m_apply})
        if (!button->isHidden()) room -= button->sizeHint().width() + 8;
    const QStringList& warnings = m_editing->warnings();
    if (!warnings.isEmpty()) {
        const int wanted = fontMetrics().horizontalAdvance(m_text) + kIcon, least = std::min(room / 2, 120);
        const QString text =
            warnings.size() == 1 ? warnings.first() : tr("%n warnings", nullptr, static_cast<int>(warnings.size()));
        m_warning->setText(fontMetrics().elidedText(text, Qt::ElideRight, std::max(least, room - wanted) - kPadding));
        room -= m_warning->sizeHint().width() + 8;
    }
    m_message->setText(fontMetrics().elidedText(m_text, Qt::ElideRight, std::max(0, room - kIcon)));
}

void CodeEditBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    elide();
}

} // namespace ui

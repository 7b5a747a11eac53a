// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_edit_bar.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/wrapped_label.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {
QLabel* wrapped(QWidget* parent) {
    auto* label = new WrappedLabel(parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}
} // namespace

CodeEditBar::CodeEditBar(CodeEditing* editing, QWidget* parent)
    : QFrame(parent), m_editing(editing), m_icon(new QToolButton(this)), m_message(wrapped(this)),
      m_warning(wrapped(this)), m_stop(new QPushButton(tr("Stop"), this)), m_merge(new QPushButton(tr("Merge"), this)),
      m_revert(new QPushButton(this)), m_apply(new QPushButton(tr("Apply"), this)) {
    setObjectName(QStringLiteral("codeEditBar"));
    m_icon->setAutoRaise(true);
    m_icon->setAccessibleName(tr("Go to the error"));
    m_message->installEventFilter(this);
    m_warning->setProperty("role", "warning");
    m_warning->setMargin(3);
    m_stop->setToolTip(tr("Stop checking; the text is kept"));
    m_merge->setToolTip(tr("Merge your changes into the current code"));
    m_apply->setToolTip(tr("Change the model to match this code (Ctrl+Return)"));
    m_apply->setProperty("primary", true);
    m_message->setAccessibleName(tr("State of the edited code"));
    m_revert->setAccessibleName(tr("Discard Code Changes"));
    for (QPushButton* button : {m_stop, m_merge, m_revert, m_apply}) button->setAutoDefault(false);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    texts->addWidget(m_message);
    texts->addWidget(m_warning);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addLayout(texts, 1);
    for (QPushButton* button : {m_stop, m_revert, m_merge, m_apply}) row->addWidget(button);
    connect(m_icon, &QToolButton::clicked, this, &CodeEditBar::placeRequested);
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
    const bool faulty = state == State::Faulty;
    m_icon->setVisible(state != State::Checking);
    m_icon->setIcon(icon(faulty      ? QStringLiteral("error")
                         : attention ? QStringLiteral("warning")
                                     : QStringLiteral("ok")));
    m_icon->setEnabled(faulty);
    m_icon->setToolTip(faulty ? tr("Go to the error") : QString());
    m_message->setText(state == State::Checking && !m_editing->slow() ? tr("Checking…") : m_editing->summary());
    m_message->setCursor(faulty ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_message->setProperty("state", faulty ? "error" : attention ? "warning" : "");
    m_message->setStyle(style()); // takes up the changed property
    const QStringList& warnings = m_editing->warnings();
    constexpr qsizetype kShown = 3;
    QStringList shown = warnings.mid(0, kShown);
    if (warnings.size() > kShown) shown << tr("%n more", nullptr, static_cast<int>(warnings.size() - kShown));
    m_warning->setVisible(!warnings.isEmpty());
    m_warning->setText(shown.join(u'\n'));
    m_warning->setToolTip(plainToolTip(warnings.join(u'\n')));
    m_stop->setVisible(state == State::Checking && m_editing->slow());
    m_merge->setVisible(outdated);
    m_apply->setVisible(!outdated);
    m_apply->setEnabled(!faulty);
    m_revert->setText(outdated ? tr("Discard My Changes") : tr("Revert"));
    m_revert->setToolTip(outdated ? tr("Show the current code; press Ctrl+Z to restore your text")
                                  : tr("Discard your changes; press Ctrl+Z to restore them"));
}

bool CodeEditBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_message && event->type() == QEvent::MouseButtonRelease &&
        m_editing->state() == CodeEditing::State::Faulty)
        Q_EMIT placeRequested();
    return QFrame::eventFilter(watched, event);
}

} // namespace ui

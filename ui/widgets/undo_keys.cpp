// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/undo_keys.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace ui {

namespace {

/// The object is a text field with nothing to undo nor to redo. Who has just undone all of a text means the text.
bool hasNothing(const QObject* object) {
    if (const auto* line = qobject_cast<const QLineEdit*>(object))
        return !line->isUndoAvailable() && !line->isRedoAvailable();
    const auto* plain = qobject_cast<const QPlainTextEdit*>(object);
    const auto* rich = qobject_cast<const QTextEdit*>(object);
    const QTextDocument* text = plain ? plain->document() : rich ? rich->document() : nullptr;
    return text && !text->isUndoAvailable() && !text->isRedoAvailable();
}

} // namespace

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if ((!key.matches(QKeySequence::Redo) && !key.matches(QKeySequence::Undo)) || !hasNothing(watched)) return false;
    event->ignore(); // a shortcut of the window may have it
    return true;
}

} // namespace ui

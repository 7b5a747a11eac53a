// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/undo_keys.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace ui {

namespace {

/// The object is a text field that has nothing to undo, or to redo.
bool hasNothing(const QObject* object, bool redo) {
    if (const auto* line = qobject_cast<const QLineEdit*>(object))
        return !(redo ? line->isRedoAvailable() : line->isUndoAvailable());
    const auto* plain = qobject_cast<const QPlainTextEdit*>(object);
    const auto* rich = qobject_cast<const QTextEdit*>(object);
    const QTextDocument* text = plain ? plain->document() : rich ? rich->document() : nullptr;
    return text && !(redo ? text->isRedoAvailable() : text->isUndoAvailable());
}

} // namespace

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto& key = static_cast<const QKeyEvent&>(*event);
    const bool redo = key.matches(QKeySequence::Redo);
    if ((!redo && !key.matches(QKeySequence::Undo)) || !hasNothing(watched, redo)) return false;
    event->ignore(); // a shortcut of the window may have it
    return true;
}

} // namespace ui

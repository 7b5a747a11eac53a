// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_editor.h"

#include <QKeyEvent>
#include <QRegularExpression>

#include <algorithm>

namespace ui {

SourceEditor::SourceEditor(QWidget* parent) : CodeView(parent) {
    setEditable(true);
    setAutoIndent(false); // see breakLine
    setTabIndents(true);
    setBackspaceUnindents(true);
    setAccessibleName(tr("Python source"));
}

bool SourceEditor::isCommentKey(const QKeyEvent& key) const {
    return key.key() == Qt::Key_Slash && key.modifiers() & Qt::ControlModifier;
}

bool SourceEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && isCommentKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return CodeView::event(event);
}

void SourceEditor::keyPressEvent(QKeyEvent* event) {
    if (isCommentKey(*event)) return toggleComment();
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) return breakLine();
    CodeView::keyPressEvent(event);
}

/// The new line is indented as the one above; deeper after a colon or an open bracket, less after `return` and such.
void SourceEditor::breakLine() {
    int line = 0, column = 0;
    getCursorPosition(&line, &column);
    const QString before = text(line).left(column);
    int depth = 0;
    while (depth < before.size() && before[depth] == u' ') ++depth;
    const QString code = before.section(u'#', 0, 0).trimmed();
    if (code.endsWith(u':') || code.endsWith(u'(') || code.endsWith(u'[') || code.endsWith(u'{')) depth += 4;
    else if (code == u"pass" || code == u"break" || code == u"continue" || code == u"return" ||
             code.startsWith(QLatin1String("return ")) || code.startsWith(QLatin1String("raise ")))
        depth = std::max(0, depth - 4);
    const QByteArray typed = '\n' + QByteArray(depth, ' ');
    SendScintilla(SCI_REPLACESEL, 0ul, typed.constData());
    ensureCursorVisible();
}

void SourceEditor::toggleComment() {
    int first = 0, from = 0, last = 0, to = 0;
    getSelection(&first, &from, &last, &to);
    if (first < 0) {
        getCursorPosition(&first, &from);
        last = first;
    } else if (to == 0 && last > first) {
        --last;
    }
    int depth = 1000;
    bool all = true, any = false;
    for (int line = first; line <= last; ++line) {
        const QString words = text(line);
        if (words.trimmed().isEmpty()) continue;
        any = true;
        const int start =
            static_cast<int>(words.size() - QString(words).remove(QRegularExpression(QStringLiteral("^ +"))).size());
        depth = std::min(depth, start);
        all &= words.mid(start).startsWith(u'#');
    }
    if (!any) return;
    beginUndoAction();
    for (int line = first; line <= last; ++line) {
        const QString words = text(line);
        if (words.trimmed().isEmpty()) continue;
        if (!all) {
            insertAt(QStringLiteral("# "), line, depth);
            continue;
        }
        const int at = static_cast<int>(words.indexOf(u'#'));
        const long start = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)) +
                           static_cast<long>(words.left(at).toUtf8().size());
        SendScintilla(SCI_DELETERANGE, static_cast<unsigned long>(start), words.mid(at + 1, 1) == u" " ? 2l : 1l);
    }
    endUndoAction();
}

} // namespace ui

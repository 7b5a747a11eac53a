// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/scintilla.h"

#include <QByteArray>

#include <vector>

namespace ui {

/// View of Python text in the theme's colours: line numbers that may start anywhere, folding, marked lines, underlined
/// errors.
///
/// It stays fluent at 100,000 lines: it styles lines when idle, and `setLines` replaces only changed lines.
class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr); ///< Creates an empty view.

    /// Shows `text`, whose first line is line `firstLine` (0-based) of the whole. Clears the undo history.
    void setLines(const QByteArray& text, int firstLine);
    /// Replaces the text as if it were typed, so that it can be undone. The cursor keeps its line, and the view its
    /// position.
    void typeText(const QByteArray& text);
    /// Sets whether the user can edit the text. Initially false.
    void setEditable(bool editable);
    /// Returns the current text in UTF-8.
    QByteArray bytes() const;
    /// A range of bytes to underline, with a message.
    struct Fault {
        qsizetype offset = 0, length = 0;
        QString message;
    };
    void markFaults(std::vector<Fault> faults); ///< Underlines these ranges and no others.
    /// Moves the cursor to a byte offset and scrolls there.
    void goTo(qsizetype offset);
    /// Marks these lines (0-based in the displayed text) and scrolls to the first. Emits nothing.
    void markLines(const std::vector<int>& lines);
    void scrollToLine(int line); ///< Scrolls to a line, 0-based in the displayed text.
    /// The line of the cursor, 0-based in the displayed text.
    int cursorLine() const;
    /// The start of a search. Here includes the current selection, for searching while typing.
    enum class Search { Next, Previous, Here };
    /// Selects the next occurrence of `text` from the cursor, wrapping around. Returns false if none exists.
    bool findText(const QString& text, Search direction);

Q_SIGNALS:
    /// Emitted when the user places the cursor or selects text in these lines; several with Ctrl and Shift.
    void linesPicked(const std::vector<int>& lines);
    /// Emitted when the user changes the text.
    void typed();
    /// Emitted on Ctrl+Return.
    void applyRequested();

protected:
    bool event(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

    /// Sets whether the view numbers lines; false if a derived class uses the margin of the numbers.
    void setNumbered(bool numbered) { m_hasNumbers = numbered; }

private:
    void applyTheme();
    void showHiddenCharacters();
    void numberLines(int firstLine);
    void replaceText(const QByteArray& text);
    void replaceChanged(const QByteArray& text);
    void pick(bool toggles = false);
    bool wantsKey(const QKeyEvent& key) const;
    void textEdited();
    void tellFault(int position, const QPoint& globalPosition);

    QsciLexerPython* m_lexer;
    std::vector<int> m_picked;
    std::vector<Fault> m_faults;
    int m_firstLine = 0, m_numbered = -1;
    bool m_hasNumbers = true;
    bool m_editable = false, m_setting = false;
};

} // namespace ui

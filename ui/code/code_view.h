// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/scintilla.h"

#include <QByteArray>

#include <vector>

namespace ui {

/// Python text in the theme's colours: line numbers that may start anywhere, folding, marked lines, underlined errors.
///
/// Stays fluent at 100,000 lines: styled when idle, and `setLines` replaces only the lines that differ.
class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);

    /// Shows `text`; its first line is number `firstLine` (0-based) of the whole. What was typed before cannot be
    /// undone any more.
    void setLines(const QByteArray& text, int firstLine);
    /// Shows another text in the place of what is there, as if somebody had typed it: it can be undone. The cursor
    /// keeps its line, and the view what it shows.
    void typeText(const QByteArray& text);
    /// Whether the user can change the text. False at first.
    void setEditable(bool editable);
    /// The text as it is now, in UTF-8.
    QByteArray bytes() const;
    /// Something to underline: bytes of the text, and what to say about it.
    struct Fault {
        qsizetype offset = 0, length = 0;
        QString message;
    };
    void markFaults(std::vector<Fault> faults);
    /// Puts the cursor at a byte of the text, in sight.
    void goTo(qsizetype offset);
    /// Marks these lines (0-based in what is shown), first wholly in sight. Emits nothing.
    void markLines(const std::vector<int>& lines);
    void scrollToLine(int line);
    enum class Search { Next, Previous, Here }; ///< Here: the selected place counts too, for searching while typing
    /// Selects the place of `text` from the cursor on, around the end. False: nowhere.
    bool findText(const QString& text, Search direction);

Q_SIGNALS:
    /// The user placed the cursor or selected text: the lines concerned, several with Ctrl and Shift.
    void linesPicked(const std::vector<int>& lines);
    /// The user changed the text.
    void typed();
    /// Ctrl+Return.
    void applyRequested();

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    void applyTheme();
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
    bool m_editable = false, m_setting = false;
};

} // namespace ui

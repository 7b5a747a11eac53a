// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/scintilla.h"

#include <QByteArray>

#include <vector>

namespace ui {

/// Python text, read-only, in the theme's colours: line numbers that may start anywhere, folding, marked lines.
///
/// Stays fluent at 100,000 lines: styled when idle, and `setLines` replaces only the lines that differ.
class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);

    /// Shows `text`; its first line is number `firstLine` (0-based) of the whole.
    void setLines(const QByteArray& text, int firstLine);
    /// Marks these lines (0-based in what is shown), first wholly in sight. Emits nothing.
    void markLines(const std::vector<int>& lines);
    void scrollToLine(int line);
    enum class Search { Next, Previous, Here }; ///< Here: the selected place counts too, for searching while typing
    /// Selects the place of `text` from the cursor on, around the end. False: nowhere.
    bool findText(const QString& text, Search direction);

Q_SIGNALS:
    /// The user placed the cursor or selected text: the lines concerned, several with Ctrl and Shift.
    void linesPicked(const std::vector<int>& lines);

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    void applyTheme();
    void numberLines(int firstLine);
    void replaceChanged(const QByteArray& text);
    void pick(bool toggles = false);

    QsciLexerPython* m_lexer;
    QByteArray m_text;
    std::vector<int> m_picked;
    int m_firstLine = 0;
};

} // namespace ui

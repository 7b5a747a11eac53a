// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include <optional>

namespace ui {

class CodeView;

/// Window with generated code, guards or a source file, for reading and searching.
class TextWindow final : public QDialog {
    Q_OBJECT
public:
    /// `text` is Python source in UTF-8.
    TextWindow(const QString& title, const QByteArray& text, QWidget* parent);
    /// Marks a 0-based line and scrolls to it.
    void showLine(std::optional<std::size_t> line);
    CodeView* view() const { return m_view; } ///< The view of the text.

private:
    CodeView* m_view;
};

} // namespace ui

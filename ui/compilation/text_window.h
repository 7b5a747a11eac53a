// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include <optional>

namespace ui {

class CodeView;

/// Generated code, guards or a source file, to be read and searched.
class TextWindow final : public QDialog {
    Q_OBJECT
public:
    TextWindow(const QString& title, const QByteArray& text, QWidget* parent);
    /// Marks a line (0-based) and scrolls there.
    void showLine(std::optional<std::size_t> line);
    CodeView* view() const { return m_view; }

private:
    CodeView* m_view;
};

} // namespace ui

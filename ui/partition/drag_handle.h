// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace ui {

/// Label for the selection on the canvas; drag it onto a partition in the table.
class DragHandle final : public QLabel {
    Q_OBJECT
public:
    /// Creates a handle for an empty selection.
    explicit DragHandle(QWidget* parent) : QLabel(parent) { setCount(0); }
    /// Sets the number of selected nodes; with 0 there is nothing to drag.
    void setCount(std::size_t count);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    std::size_t m_count = 1;
    QPoint m_pressed;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/drag_handle.h"

#include "ui/partition/partition_table_model.h"

#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>

namespace ui {

void DragHandle::setCount(std::size_t count) {
    if (std::exchange(m_count, count) == count) return;
    setText(tr("⠿ %1:").arg(count)); // as wide without a selection: the buttons beside it stay where they are
    setToolTip(count == 0 ? tr("Nothing is selected on the canvas")
                          : tr("Drag the selected nodes onto a partition in the table"));
    setProperty("role", count == 0 ? "muted" : "");
    setCursor(count == 0 ? Qt::ArrowCursor : Qt::OpenHandCursor);
}

void DragHandle::mousePressEvent(QMouseEvent* event) { m_pressed = event->position().toPoint(); }

void DragHandle::mouseMoveEvent(QMouseEvent* event) {
    if (m_count == 0 || !(event->buttons() & Qt::LeftButton) ||
        (event->position().toPoint() - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    auto* drag = new QDrag(this); // Qt deletes it
    auto* carried = new QMimeData;
    carried->setData(PartitionTableModel::kSelection, {});
    drag->setMimeData(carried);
    drag->setPixmap(grab());
    drag->exec(Qt::MoveAction);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/panel_room.h"

#include <QEvent>
#include <QStyle>

namespace ui {

PanelRoom::PanelRoom(QWidget* panel, const QSize& least, QWidget* parent) : QScrollArea(parent) {
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setMinimumSize(least);
    setWidget(panel); // which it resizes itself: Qt would give a panel with wrapped texts all the height it likes
    setAccessibleName(panel->accessibleName());
    panel->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    panel->installEventFilter(this);
}

QSize PanelRoom::sizeHint() const { return widget()->sizeHint(); }

void PanelRoom::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
}

bool PanelRoom::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) fit();
    return QScrollArea::eventFilter(watched, event);
}

/// A bar for one direction takes room from the other.
void PanelRoom::fit() {
    const QSize least = widget()->minimumSizeHint();
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    QSize room = maximumViewportSize();
    const bool isTall = least.height() > room.height();
    if (isTall) room.rwidth() -= bar;
    if (least.width() > room.width()) {
        room.rheight() -= bar;
        if (!isTall && least.height() > room.height()) room.rwidth() -= bar;
    }
    widget()->resize(room.expandedTo(least));
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts between bands: what is under the pointer, dragging, the keyboard.
#include "ui/canvas/band_painter.h"
#include "ui/canvas/canvas_private.h"

#include <QKeyEvent>

namespace ui {

void GraphCanvas::setBands(std::shared_ptr<const CanvasBands> bands) {
    d->state.bands = std::move(bands);
    if (!d->state.bands && d->drag == Private::Drag::Cut) d->drag = Private::Drag::None;
    update();
    Q_EMIT stylesChanged();
}

QRectF GraphCanvas::cutHandle(std::size_t cut) const {
    return d->state.bands && cut < d->state.bands->cuts.size() ? d->hits().cutHandle(cut) : QRectF();
}

void GraphCanvas::revealCut(int cut) {
    constexpr double kMargin = 40;
    if (!d->state.bands || cut < 0 || static_cast<std::size_t>(cut) >= d->state.bands->cuts.size()) return;
    const double place = d->state.bands->cuts[static_cast<std::size_t>(cut)].place;
    const fx::Rect seen = visibleArea();
    const double margin = kMargin / zoom();
    const bool down = d->flowsDown();
    const double from = down ? seen.y : seen.x, size = down ? seen.h : seen.w;
    if (place >= from + margin && place <= from + size - margin) return;
    Camera camera = d->motion.camera();
    if (down) camera.origin.setY(place - size / 2);
    else camera.origin.setX(place - size / 2);
    d->touched = true;
    d->motion.glideTo(camera);
}

bool GraphCanvas::Private::flowsDown() const { return state.scene->picture().direction == fx::Direction::TopDown; }

bool GraphCanvas::Private::pressCut(QPointF at) {
    dragCut = hits().cutAt(at);
    if (dragCut < 0) {
        if (state.bands && state.bands->current >= 0) Q_EMIT q->cutChosen(-1);
        return false;
    }
    drag = Drag::Cut;
    const QPointF middle = hits().cutHandle(static_cast<std::size_t>(dragCut)).center();
    dragOffset = flowsDown() ? middle.y() - at.y() : middle.x() - at.x();
    clearHover();
    Q_EMIT q->cutChosen(dragCut);
    return true;
}

void GraphCanvas::Private::dragCutTo(QPointF at) {
    const QPointF world = motion.camera().toWorld(at + (flowsDown() ? QPointF(0, dragOffset) : QPointF(dragOffset, 0)));
    Q_EMIT q->cutDragged(dragCut, flowsDown() ? world.y() : world.x());
}

bool GraphCanvas::Private::takesCutKey(const QKeyEvent& event) const {
    return state.bands && state.bands->current >= 0 &&
           (event.matches(QKeySequence::Undo) || event.matches(QKeySequence::Redo));
}

/// Left and Right, and Up and Down, move the cut by a call; Escape lets it go.
bool GraphCanvas::Private::cutKey(QKeyEvent& event) {
    const int cut = state.bands ? state.bands->current : -1;
    if (cut < 0) return false;
    if (takesCutKey(event)) {
        Q_EMIT q->cutUndoRequested(event.matches(QKeySequence::Redo));
        return true;
    }
    if (event.modifiers() & ~Qt::KeypadModifier) return false;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Up: Q_EMIT q->cutStepped(cut, -1); return true;
    case Qt::Key_Right:
    case Qt::Key_Down: Q_EMIT q->cutStepped(cut, 1); return true;
    case Qt::Key_Escape: Q_EMIT q->cutChosen(-1); return true;
    default: return false;
    }
}

} // namespace ui

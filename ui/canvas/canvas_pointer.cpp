// SPDX-License-Identifier: GPL-3.0-or-later
// What mouse, wheel and touchpad do.
#include "ui/canvas/canvas_private.h"
#include "ui/canvas/edge_path.h"
#include "ui/canvas/group_painter.h"
#include "ui/widgets/theme.h"

#include <QGestureEvent>
#include <QInputDevice>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QToolTip>

namespace ui {
namespace {

constexpr double kDragDistance = 4;
constexpr double kNamesFrom = 0.7,
                 kNameHeight = 24;      ///< zoom at which the name has a line of its own, and how high that is
constexpr double kConnectDistance = 12; ///< further than a hand shakes while it clicks

} // namespace

void GraphCanvas::Private::press(QMouseEvent& event) {
    pressedAt = lastAt = event.position();
    const bool pan = event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && spaceHeld);
    if (pan) {
        drag = Drag::Pan;
        updateCursor();
        return;
    }
    if (event.button() != Qt::LeftButton) return;
    if (pressCut(pressedAt) || pressBadge(pressedAt)) return;
    if (const ItemIndex target = hits().stubTargetAt(pressedAt); target != kNoItem) {
        go(target, false);
        return;
    }
    pressItem(hits().itemAt(pressedAt), event);
}

bool GraphCanvas::Private::pressBadge(QPointF at) {
    const std::uint32_t index = hits().badgeAt(at);
    if (index == kNoEdge) return false;
    const fx::EdgeItem& edge = state.scene->picture().edges[index];
    Q_EMIT q->badgeClicked(q->mapToGlobal(at.toPoint()), state.scene->node(edge.from).node,
                           state.scene->node(edge.to).node);
    return true;
}

void GraphCanvas::Private::pressItem(ItemIndex item, QMouseEvent& event) {
    if (hits().isOnChevron(item, pressedAt)) {
        toggleGroup(item);
        return;
    }
    const bool open = item != kNoItem && state.scene->isGroup(item) && state.scene->group(item).expanded;
    if (item == kNoItem || open) {
        drag = Drag::Press; // becomes a rubber band when the pointer moves
        return;
    }
    if (state.scene->isGroup(item)) {
        select({});
        setCurrent(item);
        return;
    }
    const fx::NodeId chip = hits().chipAt(pressedAt);
    const fx::NodeId node = chip != fx::kNoNode ? chip : state.scene->node(item).node;
    if (event.modifiers() & Qt::ControlModifier) toggle(node);
    else if (event.modifiers() & Qt::ShiftModifier) add({node});
    else {
        select({node});
        drag = Drag::Hold; // becomes a connection when the pointer moves
        connectFrom = node;
    }
    if (state.has(item, CanvasState::Selected)) setCurrent(item);
}

void GraphCanvas::Private::move(QMouseEvent& event) {
    const QPointF at = event.position(), before = std::exchange(lastAt, at);
    if (drag == Drag::None) {
        hoverAt(at);
        updateCursor();
    } else if (drag == Drag::Pan) {
        touched = true;
        motion.panBy(at - before);
    } else if (drag == Drag::Cut) {
        dragCutTo(at);
    } else {
        if (drag == Drag::Press && (at - pressedAt).manhattanLength() >= kDragDistance) {
            drag = Drag::Band;
            clearHover();
        }
        if (drag == Drag::Hold && (at - pressedAt).manhattanLength() >= kConnectDistance) drag = Drag::Connect;
        if (drag == Drag::Connect) {
            hoverAt(at);
            q->update();
        }
        if (drag == Drag::Band) {
            band = QRectF(pressedAt, at).normalized();
            q->update();
        }
    }
}

void GraphCanvas::Private::release(QMouseEvent& event) {
    const Drag was = std::exchange(drag, Drag::None);
    if (was == Drag::Cut) Q_EMIT q->cutReleased(dragCut);
    if (was == Drag::Connect) finishConnection(event.position());
    if (was == Drag::Band) finishRubberBand(event.modifiers());
    if (was == Drag::Press && !(event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier))) {
        select({});
        setCurrent(state.scene->groupAt(hits().worldAt(event.position())));
    }
    updateCursor();
}

void GraphCanvas::Private::finishConnection(QPointF at) {
    q->update();
    const ItemIndex item = hits().itemAt(at);
    if (item == kNoItem || state.scene->isGroup(item)) return;
    const fx::NodeId to = state.scene->node(item).node;
    if (to != connectFrom) Q_EMIT q->connectRequested(q->mapToGlobal(at.toPoint()), connectFrom, to);
}

void GraphCanvas::Private::paintConnection(QPainter& painter) const {
    if (drag != Drag::Connect) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().accent, 2, Qt::DashLine));
    painter.drawLine(pressedAt, lastAt);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent);
    painter.drawEllipse(lastAt, 4, 4);
}

void GraphCanvas::showDrop(const Spot& spot, bool accepts) {
    d->drop = spot;
    d->dropAccepts = accepts;
    update();
}

void GraphCanvas::hideDrop() {
    d->drop.reset();
    update();
}

QPainterPath GraphCanvas::Private::edgeCurve(fx::NodeId from, fx::NodeId to) const {
    const fx::Picture& picture = state.scene->picture();
    const ItemIndex first = state.scene->itemOf(from), last = state.scene->itemOf(to);
    QPainterPath path;
    for (const fx::EdgeItem& edge : picture.edges) {
        if (edge.from != first || edge.to != last) continue;
        std::vector<QPointF> points;
        for (const fx::Point& p : edge.points) points.push_back(motion.camera().toScreen(p));
        appendCurve(path, points, picture.direction, view());
    }
    return path;
}

/// A frame around the node or along the edge: whole where it may fall, dashed where it may not.
void GraphCanvas::Private::paintDrop(QPainter& painter) const {
    if (!drop || drop->node == fx::kNoNode) return;
    constexpr double kAround = 4, kCorner = 8;
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = dropAccepts ? theme().accent : theme().error.line;
    painter.setPen(QPen(colour, 3, dropAccepts ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    if (drop->user != fx::kNoNode) return painter.drawPath(edgeCurve(drop->node, drop->user));
    QColor fill = colour; // a selection has a frame too
    fill.setAlpha(56);
    painter.setBrush(fill);
    painter.drawRoundedRect(q->nodeRect(drop->node).adjusted(-kAround, -kAround, kAround, kAround), kCorner, kCorner);
}

void GraphCanvas::Private::finishRubberBand(Qt::KeyboardModifiers modifiers) {
    std::vector<fx::NodeId> nodes;
    state.scene->nodeGrid().query(motion.camera().toWorld(std::exchange(band, {})), 0,
                                  [&](std::uint32_t item) { nodes.push_back(state.scene->node(item).node); });
    if (modifiers & Qt::ControlModifier) {
        // Toggles: those of the band that were selected are not any more.
        std::vector<fx::NodeId> kept, before = selection;
        std::sort(before.begin(), before.end());
        std::sort(nodes.begin(), nodes.end());
        std::set_symmetric_difference(before.begin(), before.end(), nodes.begin(), nodes.end(),
                                      std::back_inserter(kept));
        select(std::move(kept));
    } else if (modifiers & Qt::ShiftModifier) {
        add(nodes);
    } else {
        select(std::move(nodes));
    }
    q->update();
}

void GraphCanvas::Private::doubleClick(QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) return;
    const QPointF at = event.position();
    const ItemIndex item = hits().itemAt(at);
    if (item != kNoItem && state.scene->isGroup(item)) {
        // The second click of a double click on the chevron has its own meaning: toggle back.
        const fx::GroupItem& group = state.scene->group(item);
        if (hits().isOnChevron(item, at) || !group.expanded ||
            GroupPainter::headerRect(group, motion.camera()).contains(at)) {
            toggleGroup(item);
            return;
        }
    }
    if (item == kNoItem || state.scene->isGroup(item)) {
        const std::uint32_t index = hits().edgeAt(at);
        if (index == kNoEdge) return;
        const fx::EdgeItem& edge = state.scene->picture().edges[index];
        const auto distance = [&](const fx::Point& p) { return (motion.camera().toScreen(p) - at).manhattanLength(); };
        go(distance(edge.points.front()) > distance(edge.points.back()) ? edge.from : edge.to, false);
        return;
    }
    // A chip can be a nested graph, as those of torch.cond are.
    if (const fx::NodeId chip = hits().chipAt(at); chip != fx::kNoNode) return Q_EMIT q->nodeActivated(chip);
    const fx::NodeItem& node = state.scene->node(item);
    const QRectF box = motion.camera().toScreen(node.rect);
    if (node.copy == 0 && motion.camera().zoom >= kNamesFrom && at.y() < box.top() + kNameHeight * motion.camera().zoom)
        Q_EMIT q->nameActivated(node.node);
    else activate(item);
}

void GraphCanvas::Private::wheel(QWheelEvent& event) {
    const bool touchpad = event.device() && event.device()->type() == QInputDevice::DeviceType::TouchPad;
    const bool fine = touchpad || !event.pixelDelta().isNull();
    const bool sideways = event.angleDelta().y() == 0 && event.angleDelta().x() != 0; // a wheel that tilts
    const bool zooms = (event.modifiers() & Qt::ControlModifier) ||
                       (!fine && !sideways && !(event.modifiers() & (Qt::ShiftModifier | Qt::AltModifier)));
    touched = true;
    if (zooms) {
        const double notches = event.angleDelta().y() / 120.0;
        if (fine) motion.zoomByAtOnce(std::pow(1.2, notches), event.position());
        else motion.zoomBy(std::pow(1.2, notches), event.position());
    } else {
        QPointF delta =
            fine && !event.pixelDelta().isNull() ? QPointF(event.pixelDelta()) : QPointF(event.angleDelta()) * 0.5;
        if (event.modifiers() & Qt::ShiftModifier && delta.x() == 0) delta = delta.transposed();
        motion.panBy(delta);
    }
    event.accept();
}

bool GraphCanvas::Private::gesture(QEvent& event) {
    if (event.type() == QEvent::NativeGesture) {
        const auto& native = static_cast<QNativeGestureEvent&>(event);
        if (native.gestureType() != Qt::ZoomNativeGesture) return false;
        touched = true;
        motion.zoomByAtOnce(1 + native.value(), native.position());
        return true;
    }
    if (event.type() == QEvent::Gesture) {
        auto* pinch = static_cast<QPinchGesture*>(static_cast<QGestureEvent&>(event).gesture(Qt::PinchGesture));
        if (!pinch) return false;
        touched = true;
        motion.zoomByAtOnce(pinch->scaleFactor(), q->mapFromGlobal(pinch->centerPoint().toPoint()));
        return true;
    }
    if (event.type() == QEvent::ToolTip) {
        const auto& help = static_cast<QHelpEvent&>(event);
        // Names and arguments come from a file: plain text, never markup.
        const QString text = texts().tooltipAt(hits(), help.pos());
        QToolTip::showText(help.globalPos(),
                           text.isEmpty()
                               ? QString()
                               : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped()),
                           q);
        return true;
    }
    return false;
}

void GraphCanvas::Private::updateCursor() {
    if (drag == Drag::Pan) q->setCursor(Qt::ClosedHandCursor);
    else if (spaceHeld) q->setCursor(Qt::OpenHandCursor);
    else if (drag == Drag::Cut || (drag == Drag::None && hits().cutAt(lastAt) >= 0))
        q->setCursor(flowsDown() ? Qt::SizeVerCursor : Qt::SizeHorCursor);
    else if (drag == Drag::None &&
             (hits().stubTargetAt(lastAt) != kNoItem || hits().isOnChevron(hits().itemAt(lastAt), lastAt) ||
              hits().badgeAt(lastAt) != kNoEdge))
        q->setCursor(Qt::PointingHandCursor);
    else q->unsetCursor();
}

} // namespace ui

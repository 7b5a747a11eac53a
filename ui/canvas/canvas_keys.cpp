// SPDX-License-Identifier: GPL-3.0-or-later
// What the keyboard does:
//
//     arrows           to the input, the first user, the siblings (along the direction of the picture); Shift extends
//     Home End         first, last          Enter   opens or closes a group, activates a node      Escape  nothing
//     selected
//     + - 0 1 F        closer, farther, everything, 100 %, the selection                           Space   held: drag
//     moves
#include "ui/canvas/canvas_private.h"
#include "ui/canvas/graph_walk.h"

#include <QKeyEvent>

namespace ui {

bool GraphCanvas::Private::key(QKeyEvent& event) {
    if (cutKey(event)) return true;
    const bool extend = event.modifiers() & Qt::ShiftModifier;
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: q->zoomIn(); return true;
    case Qt::Key_Minus: q->zoomOut(); return true;
    case Qt::Key_0: q->fit(); return true;
    case Qt::Key_1: q->zoomToActualSize(); return true;
    case Qt::Key_F: q->zoomToSelection(); return true;
    case Qt::Key_Home: go(walk::first(*state.scene), extend); return true;
    case Qt::Key_End: go(walk::last(*state.scene), extend); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current != kNoItem) activate(current);
        return current != kNoItem;
    case Qt::Key_Escape:
        if (selection.empty() && current == kNoItem) return false;
        select({});
        setCurrent(kNoItem);
        return true;
    case Qt::Key_Space:
        spaceHeld = true;
        updateCursor();
        return true;
    default: return walkTo(event.key(), extend);
    }
}

bool GraphCanvas::Private::walkTo(int key, bool extend) {
    const bool down = state.scene->picture().direction == fx::Direction::TopDown;
    walk::Way towards;
    switch (key) {
    case Qt::Key_Up: towards = down ? walk::Way::Input : walk::Way::Before; break;
    case Qt::Key_Down: towards = down ? walk::Way::User : walk::Way::After; break;
    case Qt::Key_Left: towards = down ? walk::Way::Before : walk::Way::Input; break;
    case Qt::Key_Right: towards = down ? walk::Way::After : walk::Way::User; break;
    default: return false;
    }
    if (current == kNoItem) {
        const fx::Rect seen = q->visibleArea();
        const ItemIndex begin = walk::nearest(*state.scene, seen.center(), seen);
        go(begin == kNoItem ? walk::first(*state.scene) : begin, false);
    } else {
        go(walk::next(*state.scene, current, towards), extend);
    }
    return true;
}

void GraphCanvas::Private::go(ItemIndex item, bool extend) {
    if (item == kNoItem) return;
    if (state.scene->isGroup(item)) {
        if (!extend) select({});
    } else if (extend) {
        add({state.scene->node(item).node});
    } else {
        select({state.scene->node(item).node});
    }
    setCurrent(item);
    reveal(item);
}

/// What is selected can be seen: nothing is erased or moved that went out of sight with its group.
void GraphCanvas::Private::deselectIn(ItemIndex group) {
    std::vector<fx::NodeId> kept;
    for (const fx::NodeId node : selection) {
        ItemIndex around = state.scene->seatOf(node);
        if (group == kNoItem && around != kNoItem) around = state.scene->parent(around);
        else
            while (around != kNoItem && around != group) around = state.scene->parent(around);
        if (around == kNoItem) kept.push_back(node);
    }
    if (kept.size() < selection.size()) select(std::move(kept));
}

void GraphCanvas::deselectIn(const QString& group) {
    const ItemIndex item = scene().groupByPath(group.toStdString());
    if (group.isEmpty() || item != kNoItem) d->deselectIn(item);
}

void GraphCanvas::Private::toggleGroup(ItemIndex item) {
    const fx::GroupItem& group = state.scene->group(item);
    anchorPath = group.path;
    touched = true;
    if (group.expanded) deselectIn(item);
    setCurrent(item);
    Q_EMIT q->groupToggled(QString::fromStdString(group.path), !group.expanded);
}

void GraphCanvas::Private::activate(ItemIndex item) {
    if (state.scene->isGroup(item)) {
        toggleGroup(item);
    } else if (state.scene->node(item).copy > 0) {
        go(state.scene->itemOf(state.scene->node(item).node), false);
    } else {
        Q_EMIT q->nodeActivated(state.scene->node(item).node);
    }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
// What of the scene is selected, under the keyboard, hovered.
#include "ui/canvas/canvas_private.h"

namespace ui {

const std::vector<fx::NodeId>& GraphCanvas::selection() const { return d->selection; }

void GraphCanvas::setSelection(std::vector<fx::NodeId> nodes, bool reveal) {
    d->select(std::move(nodes));
    if (!reveal || d->selection.empty()) return;
    const fx::NodeId first = d->selection.front();
    if (scene().seatOf(first) == kNoItem) Q_EMIT revealRequested(first);
    else d->revealArea(d->selectedArea());
}

void GraphCanvas::revealNode(fx::NodeId node) {
    const ItemIndex item = scene().seatOf(node);
    if (item == kNoItem) Q_EMIT revealRequested(node);
    else d->reveal(item);
}

void GraphCanvas::revealNodes(const std::vector<fx::NodeId>& nodes) {
    constexpr double kLegible = 0.35;
    const fx::Rect area = d->areaAround(nodes);
    if (area.w <= 0) return;
    const QRectF inner = d->view().adjusted(48, 56, -48, -48);
    Camera camera = d->motion.camera();
    const double fitting = std::min(inner.width() / area.w, inner.height() / area.h);
    if (fitting < camera.zoom) camera.zoom = std::min(camera.zoom, std::max(fitting, kLegible));
    // What does not fit is seen from its beginning.
    const QRectF box = camera.toScreen(area);
    const auto shift = [](double from, double to, double first, double last) {
        return from < first || to - from > last - first ? from - first : to > last ? to - last : 0;
    };
    const QPointF by(shift(box.left(), box.right(), inner.left(), inner.right()),
                     shift(box.top(), box.bottom(), inner.top(), inner.bottom()));
    if (by.isNull() && camera.zoom == d->motion.camera().zoom) return;
    camera.origin += by / camera.zoom;
    d->touched = true;
    d->motion.glideTo(d->seeing(camera, nodes));
}

void GraphCanvas::revealGroup(const QString& path) {
    const ItemIndex item = scene().groupByPath(path.toStdString());
    if (item == kNoItem) return;
    d->touched = true;
    d->motion.glideTo(Camera::fitting(scene().rect(item), d->view().size(), 32, 1));
}

QString GraphCanvas::currentGroup() const {
    return d->current != kNoItem && scene().isGroup(d->current) ? QString::fromStdString(scene().group(d->current).path)
                                                                : QString();
}

QString GraphCanvas::describe(fx::NodeId node) const { return d->texts().ofNode(node); }

/// From near to far: what is under the pointer, the nearest node, the nearest edge.
GraphCanvas::Spot GraphCanvas::spotAt(QPointF at, double reach) const {
    const Scene& scene = *d->state.scene;
    const CanvasHits hits = d->hits();
    const ItemIndex item = hits.itemAt(at);
    if (item != kNoItem && !scene.isGroup(item)) return {scene.node(item).node, fx::kNoNode, {}};
    if (item == kNoItem || scene.group(item).expanded) {
        const auto edgeIn = [&](double distance) -> std::optional<Spot> {
            const std::uint32_t index = hits.edgeAt(at, distance);
            if (index == kNoEdge) return {};
            const fx::EdgeItem& edge = scene.picture().edges[index];
            if (scene.isGroup(edge.from) || scene.isGroup(edge.to)) return {};
            return Spot{scene.node(edge.from).node, scene.node(edge.to).node, {}};
        };
        if (const auto edge = edgeIn(CanvasHits::kEdgeReach)) return *edge;
        if (const fx::NodeId node = reach > 0 ? hits.nodeNear(at, reach) : fx::kNoNode; node != fx::kNoNode)
            return {node, fx::kNoNode, {}};
        if (const auto edge = reach > CanvasHits::kEdgeReach ? edgeIn(reach) : std::nullopt) return *edge;
    }
    return {fx::kNoNode, fx::kNoNode, item == kNoItem ? QString() : QString::fromStdString(scene.group(item).path)};
}

/// Graph order, each node once; ids that are not in the graph drop out.
void GraphCanvas::Private::putInOrder(std::vector<fx::NodeId>& nodes) const {
    const fx::GraphModule* owner = state.scene->module();
    if (!owner) {
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        return;
    }
    const fx::Graph& graph = owner->graph;
    std::erase_if(nodes, [&](fx::NodeId id) { return fx::index(id) >= graph.idLimit() || graph.node(id).erased(); });
    if (nodes.size() < graph.size() / 16) {
        std::sort(nodes.begin(), nodes.end(), [&](fx::NodeId a, fx::NodeId b) { return graph.isBefore(a, b); });
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        return;
    }
    // Many: walking the graph once is quicker than sorting.
    std::vector<bool> wanted(graph.idLimit());
    for (fx::NodeId id : nodes) wanted[fx::index(id)] = true;
    nodes.clear();
    for (fx::NodeId id = graph.first(); id != fx::kNoNode; id = graph.next(id))
        if (wanted[fx::index(id)]) nodes.push_back(id);
}

void GraphCanvas::Private::select(std::vector<fx::NodeId> nodes) {
    putInOrder(nodes);
    const ItemIndex item = nodes.empty() ? kNoItem : state.scene->itemOf(nodes.front());
    const bool same = nodes == selection;
    selection = std::move(nodes);
    if (!same) rebuildFlags();
    // The keyboard stays on a node that is still selected.
    if (current == kNoItem || state.scene->isGroup(current) || !state.has(current, CanvasState::Selected))
        setCurrent(item);
    if (!same) Q_EMIT q->selectionChanged();
}

void GraphCanvas::Private::toggle(fx::NodeId node) {
    std::vector<fx::NodeId> nodes = selection;
    if (std::erase(nodes, node) == 0) nodes.push_back(node);
    select(std::move(nodes));
}

void GraphCanvas::Private::add(const std::vector<fx::NodeId>& nodes) {
    std::vector<fx::NodeId> all = selection;
    all.insert(all.end(), nodes.begin(), nodes.end());
    select(std::move(all));
}

void GraphCanvas::Private::setCurrent(ItemIndex item) {
    if (item == current) return;
    const bool concernsGroups =
        (current != kNoItem && state.scene->isGroup(current)) || (item != kNoItem && state.scene->isGroup(item));
    if (current != kNoItem) state.flags[current] &= std::uint8_t(~CanvasState::Current);
    current = item;
    if (current != kNoItem) state.flags[current] |= CanvasState::Current;
    // Screen readers announce the description when it changes.
    q->setAccessibleDescription(current == kNoItem ? QString() : texts().ofItem(current));
    q->update();
    if (concernsGroups) Q_EMIT q->currentGroupChanged(q->currentGroup());
}

void GraphCanvas::Private::rebuildFlags() {
    state.flags.assign(state.scene->itemCount(), 0);
    state.chips.clear();
    for (fx::NodeId node : selection) {
        if (state.scene->itemOf(node) == kNoItem) state.chips.insert(node);
        for (ItemIndex item = state.scene->itemOf(node); item != kNoItem; item = state.scene->nextCopy(item))
            state.flags[item] |= CanvasState::Selected;
    }
    if (current != kNoItem) state.flags[current] |= CanvasState::Current;
    state.dimOthers = false;
    if (state.hoverItem != kNoItem || state.hoverEdge != kNoEdge) hoverDelay.start();
    q->update();
}

/// What was under the pointer may have moved away with the camera: then nothing steps back for it any more.
void GraphCanvas::Private::checkHover() {
    if (state.hoverItem == kNoItem && state.hoverEdge == kNoEdge) return;
    if (hits().hoverableAt(lastAt) != std::pair(state.hoverItem, state.hoverEdge)) clearHover();
}

void GraphCanvas::Private::hoverAt(QPointF at) {
    const auto [item, edge] = hits().hoverableAt(at);
    if (item == state.hoverItem && edge == state.hoverEdge) return;
    const bool wasEmphasised = state.dimOthers;
    clearHover();
    state.hoverItem = item, state.hoverEdge = edge;
    const bool group = item != kNoItem && state.scene->isGroup(item);
    Q_EMIT q->hovered(item == kNoItem || group ? fx::kNoNode : state.scene->node(item).node,
                      group ? QString::fromStdString(state.scene->group(item).path) : QString());
    if (item == kNoItem && edge == kNoEdge) return;
    // From one thing to the next at once, else only when the pointer rests: moving across must not flicker.
    if (wasEmphasised) emphasise();
    else hoverDelay.start();
}

void GraphCanvas::Private::clearHover() {
    hoverDelay.stop();
    const bool visible = state.dimOthers || state.hoverEdge != kNoEdge;
    state.hoverItem = kNoItem, state.hoverEdge = kNoEdge;
    if (!visible) return;
    for (std::uint8_t& flags : state.flags) flags &= std::uint8_t(~CanvasState::Related);
    state.dimOthers = false;
    q->update();
}

/// Brings out what is hovered with its inputs and users; the rest steps back.
void GraphCanvas::Private::emphasise() {
    const auto& edges = state.scene->picture().edges;
    const auto mark = [this](ItemIndex item) { state.flags[item] |= CanvasState::Related; };
    if (state.hoverEdge != kNoEdge) mark(edges[state.hoverEdge].from), mark(edges[state.hoverEdge].to);
    if (state.hoverItem != kNoItem) {
        mark(state.hoverItem);
        for (std::uint32_t edge : state.scene->edgesInto(state.hoverItem)) mark(edges[edge].from);
        for (std::uint32_t edge : state.scene->edgesFrom(state.hoverItem)) mark(edges[edge].to);
    }
    // The groups around what is brought out do not step back.
    for (ItemIndex item = 0; item < state.scene->itemCount(); ++item) {
        if (!state.has(item, CanvasState::Related)) continue;
        for (ItemIndex around = state.scene->parent(item);
             around != kNoItem && !state.has(around, CanvasState::Related); around = state.scene->parent(around))
            mark(around);
    }
    state.dimOthers = state.hoverEdge != kNoEdge || state.hoverItem != kNoItem;
    q->update();
}

fx::Rect GraphCanvas::Private::selectedArea() const {
    fx::Rect area = areaAround(selection);
    if (area.w <= 0 && current != kNoItem) area = state.scene->rect(current);
    return area;
}

fx::Rect GraphCanvas::Private::areaAround(const std::vector<fx::NodeId>& nodes) const {
    fx::Rect area;
    const auto include = [&](const fx::Rect& r) {
        if (area.w <= 0) area = r;
        const double x = std::min(area.x, r.x), y = std::min(area.y, r.y);
        area = {x, y, std::max(area.right(), r.right()) - x, std::max(area.bottom(), r.bottom()) - y};
    };
    for (fx::NodeId node : nodes)
        if (const ItemIndex item = state.scene->seatOf(node); item != kNoItem) include(state.scene->rect(item));
    return area;
}

void GraphCanvas::Private::reveal(ItemIndex item) { revealArea(state.scene->rect(item)); }

/// Moves as little as needed; zooms in when things would be too small to read, out when they do not fit.
void GraphCanvas::Private::revealArea(const fx::Rect& area) {
    if (area.w <= 0) return;
    const QRectF inner = view().adjusted(48, 56, -48, -48);
    Camera camera = motion.camera();
    const QRectF box = camera.toScreen(area);
    if (inner.contains(box) && camera.zoom >= 0.5) return;
    touched = true;
    const double fitting = Camera::fitting(area, view().size(), 56, 1).zoom;
    const double zoom = std::min(fitting, std::max(camera.zoom, 0.8));
    camera.zoom = zoom;
    camera.centerOn({area.center().x, area.center().y}, view().size());
    motion.glideTo(camera);
}

} // namespace ui

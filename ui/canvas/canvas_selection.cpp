// SPDX-License-Identifier: GPL-3.0-or-later
// What of the scene is selected, under the keyboard, hovered, and how it is described.
#include "core/ir/print.h"
#include "ui/canvas/canvas_private.h"
#include "ui/canvas/edge_curve.h"
#include "ui/canvas/edge_painter.h"

#include <QAccessible>

namespace ui {
namespace {

constexpr qsizetype kLongText = 300; ///< longer arguments are cut in tool tips

QString shortened(const std::string& text) {
    const QString whole = QString::fromStdString(text);
    return whole.size() <= kLongText ? whole : whole.left(kLongText) + QStringLiteral("…");
}

} // namespace

const std::vector<fx::NodeId>& GraphCanvas::selection() const {
    return d->selection;
}

void GraphCanvas::setSelection(std::vector<fx::NodeId> nodes, bool reveal) {
    d->select(std::move(nodes));
    if (!reveal || d->selection.empty()) return;
    const fx::NodeId first = d->selection.front();
    if (scene().itemOf(first) == kNoItem)
        Q_EMIT revealRequested(first);
    else
        d->revealArea(d->selectedArea());
}

void GraphCanvas::revealNode(fx::NodeId node) {
    const ItemIndex item = scene().itemOf(node);
    if (item == kNoItem)
        Q_EMIT revealRequested(node);
    else
        d->reveal(item);
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

void GraphCanvas::setCurrentGroup(const QString& path, bool reveal) {
    const ItemIndex item = scene().groupByPath(path.toStdString());
    if (item != d->current) d->select({});
    d->setCurrent(item);
    if (reveal && item != kNoItem) d->reveal(item);
}

QString GraphCanvas::describe(fx::NodeId node) const {
    const ItemIndex item = scene().itemOf(node);
    return item == kNoItem ? QString() : d->describe(item);
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
    q->setAccessibleDescription(current == kNoItem ? QString() : describe(current));
    q->update();
    if (concernsGroups) Q_EMIT q->currentGroupChanged(q->currentGroup());
}

void GraphCanvas::Private::rebuildFlags() {
    state.flags.assign(state.scene->itemCount(), 0);
    for (fx::NodeId node : selection)
        for (ItemIndex item = state.scene->itemOf(node); item != kNoItem; item = state.scene->nextCopy(item))
            state.flags[item] |= CanvasState::Selected;
    if (current != kNoItem) state.flags[current] |= CanvasState::Current;
    state.dimOthers = false;
    if (state.hoverItem != kNoItem || state.hoverEdge != kNoEdge) hoverDelay.start();
    q->update();
}

fx::Point GraphCanvas::Private::worldAt(QPointF at) const {
    const QPointF world = motion.camera().toWorld(at);
    return {world.x(), world.y()};
}

void GraphCanvas::Private::hoverAt(QPointF at) {
    ItemIndex item = itemAt(at);
    const std::uint32_t edge = item != kNoItem && !state.scene->isGroup(item) ? kNoEdge : edgeAt(at);
    if (edge != kNoEdge || (item != kNoItem && state.scene->isGroup(item) && state.scene->group(item).expanded))
        item = kNoItem;
    if (item == state.hoverItem && edge == state.hoverEdge) return;
    const bool wasEmphasised = state.dimOthers;
    clearHover();
    state.hoverItem = item, state.hoverEdge = edge;
    const bool group = item != kNoItem && state.scene->isGroup(item);
    Q_EMIT q->hovered(item == kNoItem || group ? fx::kNoNode : state.scene->node(item).node,
                      group ? QString::fromStdString(state.scene->group(item).path) : QString());
    if (item == kNoItem && edge == kNoEdge) return;
    // From one thing to the next at once, else only when the pointer rests: moving across must not flicker.
    if (wasEmphasised)
        emphasise();
    else
        hoverDelay.start();
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

std::uint32_t GraphCanvas::Private::edgeAt(QPointF at) const {
    constexpr double kReach = 5;
    const Camera& camera = motion.camera();
    if (camera.zoom < 0.3) return kNoEdge;
    const auto& picture = state.scene->picture();
    std::uint32_t best = kNoEdge;
    double least = kReach;
    const fx::Rect near = camera.toWorld(QRectF(at.x() - kReach, at.y() - kReach, 2 * kReach, 2 * kReach));
    state.scene->edgeGrid().query(near, 0, [&](std::uint32_t edge) {
        if (picture.edges[edge].stub) return;
        std::vector<QPointF> points;
        for (const fx::Point& p : picture.edges[edge].points) points.push_back(camera.toScreen(p));
        const double distance = distanceToCurve(at, points, picture.direction);
        if (distance < least) best = edge, least = distance;
    });
    return best;
}

ItemIndex GraphCanvas::Private::stubTargetAt(QPointF at) const {
    if (motion.camera().zoom < 0.45) return kNoItem;
    ItemIndex target = kNoItem;
    const fx::Rect near = motion.camera().toWorld(QRectF(at.x() - 160, at.y() - 40, 320, 80));
    state.scene->edgeGrid().query(near, 0, [&](std::uint32_t edge) {
        if (!isStub(state, edge)) return;
        for (const StubLabel& label : stubLabels(*state.scene, motion.camera(), *fonts, edge))
            if (label.rect.contains(at)) target = label.leadsTo;
    });
    return target;
}

QString GraphCanvas::Private::describe(ItemIndex item) const {
    const Scene& scene = *state.scene;
    QStringList lines;
    if (scene.isGroup(item)) {
        const fx::GroupItem& group = scene.group(item);
        lines << QString::fromStdString(group.artificial ? group.title : group.path);
        if (!group.type.empty()) lines << QString::fromStdString(group.type);
        lines << tr("%n node(s), %1", nullptr, int(group.nodeCount)).arg(group.expanded ? tr("open") : tr("closed"));
        if (group.sameAs != fx::kNoGroup)
            lines << tr("same structure as %1").arg(QString::fromStdString(scene.picture().groups[group.sameAs].path));
        return lines.join(QLatin1Char('\n'));
    }
    const fx::NodeItem& drawn = scene.node(item);
    lines << QString::fromStdString(drawn.title);
    if (!scene.module()) return lines.join(QLatin1Char('\n'));
    const fx::Graph& graph = scene.module()->graph;
    const fx::Node& node = graph.node(drawn.node);
    lines << QString::fromUtf8(fx::opName(node.op()).data()) + QStringLiteral("  ") +
                 QString::fromStdString(node.target());
    if (!node.args().empty()) lines << tr("args: %1").arg(shortened(fx::argsRepr(graph, node)));
    if (!node.kwargs().empty()) lines << tr("kwargs: %1").arg(shortened(fx::kwargsRepr(graph, node)));
    for (const fx::ValueInfo& value : node.meta().values)
        lines << tr("gives: %1 %2").arg(QString::fromStdString(value.shapeText()), QString::fromStdString(value.dtype));
    lines << tr("%n user(s)", nullptr, int(node.users().size()));
    if (drawn.copy > 0) lines << tr("drawn again near its use; Enter or a double click goes to the node");
    return lines.join(QLatin1Char('\n'));
}

QString GraphCanvas::Private::tooltipAt(QPointF at) const {
    if (const ItemIndex target = stubTargetAt(at); target != kNoItem)
        return tr("Click to go to the other end:") + QLatin1Char('\n') + describe(target);
    if (state.hoverEdge != kNoEdge) {
        const fx::EdgeItem& edge = state.scene->picture().edges[state.hoverEdge];
        const auto name = [this](ItemIndex item) {
            return QString::fromStdString(state.scene->isGroup(item) ? state.scene->group(item).path
                                                                     : state.scene->node(item).title);
        };
        QString text = name(edge.from) + QStringLiteral(" → ") + name(edge.to);
        if (edge.weight > 1) text += QLatin1Char('\n') + tr("%n edge(s)", nullptr, int(edge.weight));
        return text + QLatin1Char('\n') + tr("Double-click goes to the farther end");
    }
    return state.hoverItem == kNoItem ? QString() : describe(state.hoverItem);
}

fx::Rect GraphCanvas::Private::selectedArea() const {
    fx::Rect area;
    const auto include = [&](const fx::Rect& r) {
        if (area.w <= 0) area = r;
        const double x = std::min(area.x, r.x), y = std::min(area.y, r.y);
        area = {x, y, std::max(area.right(), r.right()) - x, std::max(area.bottom(), r.bottom()) - y};
    };
    for (fx::NodeId node : selection)
        if (const ItemIndex item = state.scene->itemOf(node); item != kNoItem) include(state.scene->rect(item));
    if (area.w <= 0 && current != kNoItem) include(state.scene->rect(current));
    return area;
}

void GraphCanvas::Private::reveal(ItemIndex item) {
    revealArea(state.scene->rect(item));
}

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

// SPDX-License-Identifier: GPL-3.0-or-later
// What is under the pointer, and what is said about it.
#include "core/ir/print.h"
#include "core/layout/card_text.h"
#include "ui/canvas/badge_painter.h"
#include "ui/canvas/canvas_private.h"
#include "ui/canvas/edge_painter.h"
#include "ui/canvas/edge_path.h"
#include "ui/canvas/node_painter.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QRegularExpression>

namespace ui {
namespace {

constexpr qsizetype kLongText = 300; ///< longer arguments are cut in tool tips

QString shortened(const std::string& text) {
    const QString whole = fromCore(text);
    return whole.size() <= kLongText ? whole : whole.left(kLongText) + QStringLiteral("…");
}

/// "model.py:12  x = self.conv1(x)": the innermost frame of Python's trace.
QString sourceOf(const fx::Node& node) {
    const QString trace = linesFromCore(node.meta().stackTrace);
    const QStringList lines = trace.split(u'\n', Qt::SkipEmptyParts);
    static const QRegularExpression frame(QStringLiteral("File \"(?:.*/)?([^\"]+)\", line (\\d+)"));
    for (qsizetype i = lines.size(); i-- > 0;) {
        const QRegularExpressionMatch match = frame.match(lines[i]);
        if (!match.hasMatch()) continue;
        const QString place = match.captured(1) + u':' + match.captured(2);
        return i + 1 < lines.size() ? place + QStringLiteral("  ") + shortened(lines[i + 1].trimmed().toStdString())
                                    : place;
    }
    return {};
}

} // namespace

/// From near to far: what is under the pointer, the nearest node, the nearest edge.
GraphCanvas::Spot GraphCanvas::spotAt(QPointF at, double reach) const {
    const Scene& scene = *d->state.scene;
    const ItemIndex item = d->itemAt(at);
    if (item != kNoItem && !scene.isGroup(item)) return {scene.node(item).node, fx::kNoNode, {}};
    if (item == kNoItem || scene.group(item).expanded) {
        const auto edgeIn = [&](double distance) -> std::optional<Spot> {
            const std::uint32_t index = d->edgeAt(at, distance);
            if (index == kNoEdge) return {};
            const fx::EdgeItem& edge = scene.picture().edges[index];
            if (scene.isGroup(edge.from) || scene.isGroup(edge.to)) return {};
            return Spot{scene.node(edge.from).node, scene.node(edge.to).node, {}};
        };
        if (const auto edge = edgeIn(Private::kEdgeReach)) return *edge;
        if (const fx::NodeId node = reach > 0 ? d->nodeNear(at, reach) : fx::kNoNode; node != fx::kNoNode)
            return {node, fx::kNoNode, {}};
        if (const auto edge = reach > Private::kEdgeReach ? edgeIn(reach) : std::nullopt) return *edge;
    }
    return {fx::kNoNode, fx::kNoNode, item == kNoItem ? QString() : QString::fromStdString(scene.group(item).path)};
}

/// The node whose box is nearest to a place, within `reach` pixels.
fx::NodeId GraphCanvas::Private::nodeNear(QPointF at, double reach) const {
    const Camera& camera = motion.camera();
    fx::NodeId best = fx::kNoNode;
    double least = reach;
    state.scene->nodeGrid().query(camera.toWorld(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach)), 0,
                                  [&](std::uint32_t item) {
                                      const QRectF box = camera.toScreen(state.scene->node(item).rect);
                                      const double x = std::max({box.left() - at.x(), 0.0, at.x() - box.right()}),
                                                   y = std::max({box.top() - at.y(), 0.0, at.y() - box.bottom()});
                                      if (const double distance = std::hypot(x, y); distance <= least)
                                          best = state.scene->node(item).node, least = distance;
                                  });
    return best;
}

std::uint32_t GraphCanvas::Private::edgeAt(QPointF at, double reach) const {
    const Camera& camera = motion.camera();
    if (camera.zoom < 0.3) return kNoEdge;
    const auto& picture = state.scene->picture();
    std::uint32_t best = kNoEdge;
    double least = reach;
    const fx::Rect near = camera.toWorld(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach));
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
    if (motion.camera().zoom < 0.6) return kNoItem; // labels are not drawn
    const fx::Picture& picture = state.scene->picture();
    const fx::Point world = worldAt(at);
    ItemIndex target = kNoItem;
    state.scene->stubLabelGrid().query({world.x, world.y, 0, 0}, 0, [&](std::uint32_t index) {
        const fx::StubLabel& label = picture.stubLabels[index];
        if (!isStub(state, label.edge)) return;
        target = label.atTarget ? picture.edges[label.edge].from : picture.edges[label.edge].to;
    });
    return target;
}

fx::NodeId GraphCanvas::Private::chipAt(QPointF at) const {
    const ItemIndex item = itemAt(at);
    if (item == kNoItem || state.scene->isGroup(item) || motion.camera().zoom < 0.7) return fx::kNoNode;
    const fx::NodeItem& node = state.scene->node(item);
    const fx::Point world = worldAt(at), inside{world.x - node.rect.x, world.y - node.rect.y};
    const std::vector<fx::Rect> rects = NodePainter::chipRects(node, *fonts);
    for (std::size_t i = 0; i < std::min(rects.size(), node.chipNodes.size()); ++i)
        if (touches(rects[i], {inside.x, inside.y, 0, 0})) return node.chipNodes[i];
    return fx::kNoNode;
}

QString GraphCanvas::Private::describe(ItemIndex item) const {
    const Scene& scene = *state.scene;
    if (scene.isGroup(item)) return describeGroup(scene.group(item));
    if (!scene.module()) return fromCore(scene.title(item));
    QString text = describeNode(scene.node(item).node);
    if (const NodeStyle* style = state.styler ? state.styler(scene.node(item).node) : nullptr;
        style && !style->note.empty())
        text += QLatin1Char('\n') + linesFromCore(style->note);
    if (scene.node(item).copy == 0) return text;
    return text + QLatin1Char('\n') + tr("copy drawn near its user; press Enter or double-click to go to the node");
}

QString GraphCanvas::Private::describeGroup(const fx::GroupItem& group) const {
    QStringList lines{fromCore(group.artificial ? group.title : group.path)};
    if (!group.type.empty()) lines << fromCore(group.type);
    lines << counted(qint64(group.nodeCount), tr("1 node"), tr("%1 nodes")) +
                 (group.expanded ? tr(", open") : tr(", closed"));
    const auto place = static_cast<std::size_t>(&group - state.scene->picture().groups.data());
    if (place < state.regionsIn.size())
        for (const auto& [region, count] : state.regionsIn[place])
            if (region && !region->name.empty() && count > 0)
                lines << fromCore(region->name) + QStringLiteral(": ") +
                             counted(qint64(count), tr("1 node"), tr("%1 nodes"));
    if (group.sameAs != fx::kNoGroup)
        lines << tr("same structure as %1").arg(fromCore(state.scene->picture().groups[group.sameAs].path));
    return lines.join(QLatin1Char('\n'));
}

/// "layer1.0 (BasicBlock)": the module whose code makes the call.
QString GraphCanvas::Private::moduleOf(const fx::Node& node) const {
    const auto text = [](const std::string& path, const std::string& type) {
        const QString name = fromCore(path);
        return type.empty() || path.empty() ? name : tr("%1 (%2)").arg(name, fromCore(type));
    };
    if (const auto& stack = node.meta().moduleStack; !stack.empty())
        return text(stack.back().path, stack.back().type.substr(stack.back().type.rfind('.') + 1));
    ItemIndex around = state.scene->seatOf(node.id());
    if (around != kNoItem) around = state.scene->parent(around);
    while (around != kNoItem && state.scene->group(around).artificial) around = state.scene->parent(around);
    return around == kNoItem ? QString() : text(state.scene->group(around).path, state.scene->group(around).type);
}

QString GraphCanvas::Private::describeNode(fx::NodeId id) const {
    const fx::GraphModule* owner = state.scene->module();
    if (!owner || fx::index(id) >= owner->graph.idLimit()) return {};
    const fx::Graph& graph = owner->graph;
    const fx::Node& node = graph.node(id);
    const QString what = fromCore(fx::CardTexts(*owner).of(node).what);
    QStringList lines{fromCore(node.name()), what};
    lines << fromCore(fx::opName(node.op())) + QStringLiteral("  ") + fromCore(node.target());
    if (!node.args().empty()) lines << tr("args: %1").arg(shortened(fx::argsRepr(graph, node)));
    if (!node.kwargs().empty()) lines << tr("kwargs: %1").arg(shortened(fx::kwargsRepr(graph, node)));
    for (const fx::ValueInfo& value : node.meta().values)
        lines << tr("returns: %1 %2").arg(fromCore(value.shapeText()), fromCore(value.dtype));
    if (const QString holder = moduleOf(node); !holder.isEmpty()) lines << tr("module: %1").arg(holder);
    if (const QString source = sourceOf(node); !source.isEmpty()) lines << tr("source: %1").arg(source);
    lines << counted(qint64(node.users().size()), tr("1 user"), tr("%1 users"));
    if (const NodeMark* mark = state.marker ? state.marker(id) : nullptr)
        lines << linesFromCore(mark->note.empty() ? mark->text : mark->text + ": " + mark->note);
    return lines.join(QLatin1Char('\n'));
}

QString GraphCanvas::Private::tooltipAt(QPointF at) const {
    if (const std::uint32_t edge = badgeAt(at); edge != kNoEdge)
        return linesFromCore(BadgePainter::badgeOf(state, edge)->note);
    if (const ItemIndex target = stubTargetAt(at); target != kNoItem)
        return tr("Click to go to the other end:") + QLatin1Char('\n') + describe(target);
    if (const fx::NodeId chip = chipAt(at); chip != fx::kNoNode) return describeNode(chip);
    if (state.hoverEdge != kNoEdge) {
        const fx::EdgeItem& edge = state.scene->picture().edges[state.hoverEdge];
        const auto name = [this](ItemIndex item) {
            const fx::GraphModule* owner = state.scene->module();
            if (state.scene->isGroup(item)) return fromCore(state.scene->group(item).path);
            return fromCore(owner ? owner->graph.node(state.scene->node(item).node).name()
                                  : state.scene->node(item).title);
        };
        QString text = name(edge.from) + QStringLiteral(" → ") + name(edge.to);
        if (edge.weight > 1) text += QLatin1Char('\n') + tr("%1 edges").arg(edge.weight);
        if (const fx::GraphModule* owner = state.scene->module(); owner && !state.scene->isGroup(edge.from))
            for (const fx::ValueInfo& value : owner->graph.node(state.scene->node(edge.from).node).meta().values)
                text +=
                    QLatin1Char('\n') + tr("carries: %1 %2").arg(fromCore(value.shapeText()), fromCore(value.dtype));
        return text + QLatin1Char('\n') + tr("Double-click to go to the far end");
    }
    return state.hoverItem == kNoItem ? QString() : describe(state.hoverItem);
}

} // namespace ui

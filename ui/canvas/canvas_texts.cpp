// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_texts.h"

#include "core/ir/print.h"
#include "core/layout/card_text.h"
#include "ui/canvas/badge_painter.h"
#include "ui/canvas/canvas_hits.h"
#include "ui/canvas/graph_canvas.h"
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

QString CanvasTexts::ofItem(ItemIndex item) const {
    const Scene& scene = *m_state.scene;
    if (scene.isGroup(item)) return ofGroup(scene.group(item));
    if (!scene.module()) return fromCore(scene.title(item));
    QString text = ofNode(scene.node(item).node);
    if (const NodeStyle* style = m_state.styler ? m_state.styler(scene.node(item).node) : nullptr;
        style && !style->note.empty())
        text += QLatin1Char('\n') + linesFromCore(style->note);
    if (scene.node(item).copy == 0) return text;
    return text + QLatin1Char('\n') +
           GraphCanvas::tr("copy drawn near its user; press Enter or double-click to go to the node");
}

QString CanvasTexts::ofGroup(const fx::GroupItem& group) const {
    QStringList lines{fromCore(group.artificial ? group.title : group.path)};
    if (!group.type.empty()) lines << fromCore(group.type);
    lines << counted(qint64(group.nodeCount), GraphCanvas::tr("1 node"), GraphCanvas::tr("%1 nodes")) +
                 (group.expanded ? GraphCanvas::tr(", open") : GraphCanvas::tr(", closed"));
    const auto place = static_cast<std::size_t>(&group - m_state.scene->picture().groups.data());
    if (place < m_state.regionsIn.size())
        for (const auto& [region, count] : m_state.regionsIn[place])
            if (region && !region->name.empty() && count > 0)
                lines << fromCore(region->name) + QStringLiteral(": ") +
                             counted(qint64(count), GraphCanvas::tr("1 node"), GraphCanvas::tr("%1 nodes"));
    if (group.sameAs != fx::kNoGroup)
        lines << GraphCanvas::tr("same structure as %1")
                     .arg(fromCore(m_state.scene->picture().groups[group.sameAs].path));
    return lines.join(QLatin1Char('\n'));
}

/// "layer1.0 (BasicBlock)": the module whose code makes the call.
QString CanvasTexts::moduleOf(const fx::Node& node) const {
    const auto text = [](const std::string& path, const std::string& type) {
        const QString name = fromCore(path);
        return type.empty() || path.empty() ? name : GraphCanvas::tr("%1 (%2)").arg(name, fromCore(type));
    };
    if (const auto& stack = node.meta().moduleStack; !stack.empty())
        return text(stack.back().path, stack.back().type.substr(stack.back().type.rfind('.') + 1));
    ItemIndex around = m_state.scene->seatOf(node.id());
    if (around != kNoItem) around = m_state.scene->parent(around);
    while (around != kNoItem && m_state.scene->group(around).artificial) around = m_state.scene->parent(around);
    return around == kNoItem ? QString() : text(m_state.scene->group(around).path, m_state.scene->group(around).type);
}

QString CanvasTexts::ofNode(fx::NodeId id) const {
    const fx::GraphModule* owner = m_state.scene->module();
    if (!owner || fx::index(id) >= owner->graph.idLimit()) return {};
    const fx::Graph& graph = owner->graph;
    const fx::Node& node = graph.node(id);
    const QString what = fromCore(fx::CardTexts(*owner).of(node).what);
    QStringList lines{fromCore(node.name()), what};
    lines << fromCore(fx::opName(node.op())) + QStringLiteral("  ") + fromCore(node.target());
    if (!node.args().empty()) lines << GraphCanvas::tr("args: %1").arg(shortened(fx::argsRepr(graph, node)));
    if (!node.kwargs().empty()) lines << GraphCanvas::tr("kwargs: %1").arg(shortened(fx::kwargsRepr(graph, node)));
    for (const fx::ValueInfo& value : node.meta().values)
        lines << GraphCanvas::tr("returns: %1 %2").arg(fromCore(value.shapeText()), fromCore(value.dtype));
    if (const QString holder = moduleOf(node); !holder.isEmpty()) lines << GraphCanvas::tr("module: %1").arg(holder);
    if (const QString source = sourceOf(node); !source.isEmpty()) lines << GraphCanvas::tr("source: %1").arg(source);
    lines << counted(qint64(node.users().size()), GraphCanvas::tr("1 user"), GraphCanvas::tr("%1 users"));
    if (const NodeMark* mark = m_state.marker ? m_state.marker(id) : nullptr)
        lines << linesFromCore(mark->note.empty() ? mark->text : mark->text + ": " + mark->note);
    return lines.join(QLatin1Char('\n'));
}

QString CanvasTexts::ofEdge(const fx::EdgeItem& edge) const {
    const Scene& scene = *m_state.scene;
    const fx::GraphModule* owner = scene.module();
    const auto name = [&](ItemIndex item) {
        if (scene.isGroup(item)) return fromCore(scene.group(item).path);
        return fromCore(owner ? owner->graph.node(scene.node(item).node).name() : scene.node(item).title);
    };
    QString text = name(edge.from) + QStringLiteral(" → ") + name(edge.to);
    if (edge.weight > 1) text += QLatin1Char('\n') + GraphCanvas::tr("%1 edges").arg(edge.weight);
    if (owner && !scene.isGroup(edge.from))
        for (const fx::ValueInfo& value : owner->graph.node(scene.node(edge.from).node).meta().values)
            text += QLatin1Char('\n') +
                    GraphCanvas::tr("carries: %1 %2").arg(fromCore(value.shapeText()), fromCore(value.dtype));
    return text;
}

QString CanvasTexts::tooltipAt(const CanvasHits& hits, QPointF at) const {
    if (const std::uint32_t edge = hits.badgeAt(at); edge != kNoEdge)
        return linesFromCore(BadgePainter::badgeOf(m_state, edge)->note);
    if (const ItemIndex target = hits.stubTargetAt(at); target != kNoItem)
        return GraphCanvas::tr("Click to go to the other end:") + QLatin1Char('\n') + ofItem(target);
    if (const fx::NodeId chip = hits.chipAt(at); chip != fx::kNoNode) return ofNode(chip);
    if (m_state.hoverEdge != kNoEdge)
        return ofEdge(m_state.scene->picture().edges[m_state.hoverEdge]) + QLatin1Char('\n') +
               GraphCanvas::tr("Double-click to go to the far end");
    return m_state.hoverItem == kNoItem ? QString() : ofItem(m_state.hoverItem);
}

} // namespace ui

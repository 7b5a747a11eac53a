// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_styles.h"

#include "ui/canvas/region_painter.h"
#include "ui/document/node_facts.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

namespace ui {

void PartitionStyles::update(const fx::Graph* graph, const PartitionOutcome& outcome,
                             const std::vector<fx::NodeId>& cycle, int step) {
    const Theme& t = theme();
    const std::size_t count = outcome.report.partitions.size();
    m_styles.clear();
    m_regions.clear();
    m_legend = {};
    m_styleOf.assign(graph ? graph->idLimit() : 0, -1);
    if (count == 0) return;
    addStyles(count);
    addLegend(*graph, outcome.report.partitions);
    for (const fx::Node& node : graph->nodes()) {
        const fx::UnassignedNode* refusal = outcome.refusal(node.id());
        const int partition = outcome.partition(node.id());
        m_styleOf[fx::index(node.id())] =
            partition >= 0
                ? partition
                : static_cast<std::int32_t>(refusal ? count + static_cast<std::size_t>(refusal->reason) : count + 4);
    }
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        NodeStyle style = m_styles[static_cast<std::size_t>(m_styleOf[fx::index(cycle[i])])];
        style.marked = true;
        style.badge = tr("step %1").arg(i + 1).toStdString();
        style.badgeColor = t.accent;
        if (step >= 0 && static_cast<std::size_t>(step) == i) style.fill = t.accentBackground, style.line = t.accent;
        m_styleOf[fx::index(cycle[i])] = static_cast<std::int32_t>(m_styles.size());
        m_styles.push_back(style);
    }
}

/// The styles of the partitions, then of the four reasons, then of all other nodes.
void PartitionStyles::addStyles(std::size_t partitions) {
    const Theme& t = theme();
    m_regions.reserve(partitions);
    for (std::size_t i = 0; i < partitions; ++i) {
        const QColor color = partitionColor(i);
        m_regions.push_back({color, partitionHatch(i), tr("partition %1").arg(i).toStdString()});
        NodeStyle style;
        style.fill = Frame::mixed(t.panel, color, 0.12), style.line = color, style.badge = std::to_string(i);
        style.region = &m_regions[i];
        m_styles.push_back(style);
    }
    for (int reason = 0; reason < 4; ++reason) {
        NodeStyle style;
        style.fill = t.panel, style.line = t.edge, style.badgeColor = t.warning.line;
        style.badge = badgeOf(static_cast<fx::UnassignedNode::Reason>(reason));
        m_styles.push_back(style);
    }
    NodeStyle outside;
    outside.fill = t.panel, outside.line = t.border;
    m_styles.push_back(outside);
}

void PartitionStyles::addLegend(const fx::Graph& graph, const std::vector<fx::Partition>& partitions) {
    const auto name = [&](fx::NodeId node) { return elided(graph.node(node).name(), 80); };
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        const std::vector<fx::NodeId>& inside = partitions[i].nodes;
        const std::size_t nodes = inside.size();
        const QString places = nodes > 1    ? tr("%1 to %2").arg(name(inside.front()), name(inside.back()))
                               : nodes == 1 ? name(inside.front())
                                            : QString();
        m_legend.entries.push_back(
            {m_styles[i].fill, m_regions[i].color, m_regions[i].hatch,
             nodes == 1 ? tr("partition %1 · 1 node").arg(i) : tr("partition %1 · %L2 nodes").arg(i).arg(nodes),
             places});
    }
    m_legend.entries.push_back(
        {theme().panel, theme().edge, -1, tr("not in a partition"), tr("Select one of these nodes to see why")});
}

const NodeStyle* PartitionStyles::styleOf(fx::NodeId node) const {
    const std::size_t id = fx::index(node);
    return id < m_styleOf.size() && m_styleOf[id] >= 0 ? &m_styles[static_cast<std::size_t>(m_styleOf[id])] : nullptr;
}

RegionShares PartitionStyles::sharesOf(const std::string& groupPath) const {
    RegionShares result;
    if (const auto known = m_shares.find(groupPath); known != m_shares.end())
        for (const auto& [partition, count] : known->second)
            if (partition < static_cast<int>(m_regions.size()))
                result.emplace_back(partition < 0 ? nullptr : &m_regions[static_cast<std::size_t>(partition)], count);
    return result;
}

} // namespace ui

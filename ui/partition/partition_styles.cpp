// SPDX-License-Identifier: GPL-3.0-or-later
// How nodes and groups look while the canvas shows partitions.
#include "ui/partition/partition_panel.h"

#include "ui/canvas/region_painter.h"
#include "ui/document/node_facts.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

namespace ui {

/// One style for each partition and each kind of refusal; all others step back to neutral, so that colours mean
/// partitions. The steps of a cycle get styles of their own, with their number.
void PartitionPanel::makeStyles() {
    const Theme& t = theme();
    const std::size_t count = m_outcome->report.partitions.size();
    m_styles.clear();
    m_regions.clear();
    m_styleOf.assign(m_version ? m_version->graph.idLimit() : 0, -1);
    if (count == 0) return;
    m_regions.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const QColor color = partitionColor(i);
        m_regions.push_back({color, partitionHatch(i), tr("partition %1").arg(i).toStdString()});
        NodeStyle style;
        style.fill = Frame::mixed(t.panel, color, 0.12), style.line = color, style.badge = std::to_string(i);
        m_styles.push_back(style);
    }
    for (std::size_t i = 0; i < count; ++i) m_styles[i].region = &m_regions[i];
    for (int reason = 0; reason < 4; ++reason) {
        NodeStyle style;
        style.fill = t.panel, style.line = t.edge, style.badgeColor = t.warning.line;
        style.badge = badgeOf(static_cast<fx::UnassignedNode::Reason>(reason));
        m_styles.push_back(style);
    }
    NodeStyle outside;
    outside.fill = t.panel, outside.line = t.border;
    m_styles.push_back(outside);
    for (const fx::Node& node : m_version->graph.nodes()) {
        const fx::UnassignedNode* refusal = m_outcome->refusal(node.id());
        const int partition = m_outcome->partition(node.id());
        m_styleOf[fx::index(node.id())] =
            partition >= 0
                ? partition
                : static_cast<std::int32_t>(refusal ? count + static_cast<std::size_t>(refusal->reason) : count + 4);
    }
    for (std::size_t i = 0; i < m_way.size(); ++i) {
        NodeStyle style = m_styles[static_cast<std::size_t>(m_styleOf[fx::index(m_way[i])])];
        style.marked = true;
        style.badge = tr("step %1").arg(i + 1).toStdString();
        style.badgeColor = t.accent;
        if (m_at >= 0 && static_cast<std::size_t>(m_at) == i) style.fill = t.accentBackground, style.line = t.accent;
        m_styleOf[fx::index(m_way[i])] = static_cast<std::int32_t>(m_styles.size());
        m_styles.push_back(style);
    }
}

const NodeStyle* PartitionPanel::styleOf(fx::NodeId node) const {
    if (showsStages()) return m_overlay.styleOf(node);
    const std::size_t id = fx::index(node);
    return id < m_styleOf.size() && m_styleOf[id] >= 0 ? &m_styles[static_cast<std::size_t>(m_styleOf[id])] : nullptr;
}

ColourLegend PartitionPanel::legend() const {
    if (showsStages()) return m_overlay.legend();
    const auto& partitions = m_outcome->report.partitions;
    if (m_regions.size() != partitions.size() || m_regions.empty()) return {};
    ColourLegend legend;
    const auto name = [this](fx::NodeId node) { return elided(m_version->graph.node(node).name(), 80); };
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        const std::vector<fx::NodeId>& inside = partitions[i].nodes;
        const std::size_t nodes = inside.size();
        const QString places = nodes > 1    ? tr("%1 to %2").arg(name(inside.front()), name(inside.back()))
                               : nodes == 1 ? name(inside.front())
                                            : QString();
        legend.entries.push_back(
            {m_styles[i].fill, m_regions[i].color, m_regions[i].hatch,
             nodes == 1 ? tr("partition %1 · 1 node").arg(i) : tr("partition %1 · %L2 nodes").arg(i).arg(nodes),
             places});
    }
    legend.entries.push_back(
        {theme().panel, theme().edge, -1, tr("not in a partition"), tr("Select one of these nodes to see why")});
    return legend;
}

RegionShares PartitionPanel::sharesOf(const std::string& groupPath) const {
    if (showsStages()) return m_overlay.sharesOf(groupPath);
    RegionShares result;
    if (const auto known = m_shares.find(groupPath); known != m_shares.end())
        for (const auto& [partition, count] : known->second)
            if (partition < static_cast<int>(m_regions.size()))
                result.emplace_back(partition < 0 ? nullptr : &m_regions[static_cast<std::size_t>(partition)], count);
    return result;
}

} // namespace ui

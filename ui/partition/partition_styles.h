// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/partition/partition_run.h"
#include "ui/scene/node_style.h"

#include <QCoreApplication>

namespace ui {

/// How nodes and groups look while the canvas shows partitions. Each partition and each kind of refusal has one style;
/// all others step back to neutral, so that colours mean partitions. The steps of a cycle show their number.
class PartitionStyles {
    Q_DECLARE_TR_FUNCTIONS(ui::PartitionStyles)
public:
    /// Numbers of calls by partition (-1: no partition), by path of a group.
    using Shares = std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>>;

    /// Makes the styles for the partitions of a graph; removes them if it is null. `step` is the index of the
    /// current node in `cycle`, or -1. Linear.
    void update(const fx::Graph* graph, const PartitionOutcome& outcome, const std::vector<fx::NodeId>& cycle,
                int step);
    void setShares(Shares shares) { m_shares = std::move(shares); } ///< Sets the shares of partitions in groups.

    /// Returns the style of a node; null for the plain look. Valid until the next `update`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    const ColourLegend& legend() const { return m_legend; } ///< The partitions, and nodes outside partitions.
    /// Returns the shares of the partitions in the group with this path.
    RegionShares sharesOf(const std::string& groupPath) const;

private:
    void addStyles(std::size_t partitions);
    void addLegend(const fx::Graph& graph, const std::vector<fx::Partition>& partitions);

    std::vector<std::int32_t> m_styleOf; ///< by node id: index in `m_styles`, or -1 for the plain look
    std::vector<NodeStyle> m_styles;
    std::vector<NodeRegion> m_regions; ///< by partition
    Shares m_shares;
    ColourLegend m_legend;
};

} // namespace ui

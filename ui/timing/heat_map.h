// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/scene/node_style.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// The times of nodes as colours for the canvas: one ramp from zero to the longest node, with the time as a badge and
/// in tooltips.
///
/// After an edit, the times of the last measured version are shown for nodes with the same name and call; other nodes
/// have none. `stale` explains this.
class HeatMap {
public:
    /// Builds the map for the current graph and theme. Empty if `times` has no report.
    void make(const KnownTimes& times, const fx::History* history);
    bool empty() const { return m_styles.empty(); }
    /// By node id, 0 for nodes that were not timed.
    std::vector<double> times() const;
    /// Null if nothing was timed.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// The share of the total time spent in a closed group.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// Milliseconds by the path of each group; see `groupTimes`.
    void setGroups(std::unordered_map<std::string, double> times) { m_groups = std::move(times); }
    /// The legend.
    ColourLegend legend() const;
    double longestMs() const { return m_longest; }
    /// The version of the times, if it is not the current one.
    const QString& stale() const { return m_stale; }

private:
    NodeStyle styleFor(const fx::timing::NodeTiming& node) const;

    std::vector<NodeStyle> m_styles; ///< the first one is for nodes that were not timed
    std::vector<std::uint32_t> m_styleOf;
    std::vector<double> m_ms; ///< per style
    std::unordered_map<std::string, double> m_groups;
    NodeRegion m_spent; ///< the bar in a closed group
    double m_longest = 0, m_sum = 0;
    QString m_stale;
};

/// The total time of the nodes in each group of the picture; `ms`: by node id. Any thread, because it takes as long as
/// the first step of a layout.
std::unordered_map<std::string, double> groupTimes(const fx::GraphModule& model, const std::vector<double>& ms,
                                                   const fx::Progress& progress);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/scene/node_style.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// The times of nodes as colours for the canvas: one ramp from zero to the slowest node, with the time as a badge and
/// in tooltips.
///
/// After an edit, nodes with the same name and call show the times of the last measured version; other nodes have none.
/// `stale` explains this.
class HeatMap {
public:
    /// Builds the map for the current graph and theme. Empty if `times` has no report.
    void make(const KnownTimes& times, const fx::History* history);
    bool empty() const { return m_styles.empty(); } ///< True if there are no times.
    /// Returns milliseconds by node id; 0 for nodes that were not timed.
    std::vector<double> times() const;
    /// Returns the style of a node; null if nothing was timed.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// Returns the share of the total time spent in a closed group, in thousandths.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// Sets the milliseconds by path of each group; see `groupTimes`.
    void setGroups(std::unordered_map<std::string, double> times) { m_groups = std::move(times); }
    /// Returns the legend.
    ColourLegend legend() const;
    double longestMs() const { return m_longest; } ///< The time of the slowest node in milliseconds.
    /// Names the version of the times if it is not the current one.
    const QString& stale() const { return m_stale; }

private:
    NodeStyle styleFor(const fx::timing::NodeTiming& node) const;

    std::vector<NodeStyle> m_styles; ///< the first is for nodes that were not timed
    std::vector<std::uint32_t> m_styleOf;
    std::vector<double> m_ms; ///< by style
    std::unordered_map<std::string, double> m_groups;
    NodeRegion m_spent; ///< the bar in a closed group
    double m_longest = 0, m_sum = 0;
    QString m_stale;
};

/// Sums the times of the nodes in each group of the picture. `ms` is by node id. Thread-safe; takes as long as the
/// first step of a layout.
std::unordered_map<std::string, double> groupTimes(const fx::GraphModule& model, const std::vector<double>& ms,
                                                   const fx::Progress& progress);

} // namespace ui

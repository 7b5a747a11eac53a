// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/canvas/node_style.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// The times of nodes as colours for the canvas: one ramp from nothing to the longest node, the number as a badge, and
/// in tool tips.
///
/// After an edit the times of the version measured last stand in: for nodes that still have their name and still call
/// the same; the others have none, as nobody measured them. `stale` says so.
class HeatMap {
public:
    /// For the graph that is shown; in the colours of the theme now. Nothing when `times` has no report.
    void make(const KnownTimes& times, const fx::History* history);
    bool empty() const { return m_styles.empty(); }
    /// By node id, 0 for nodes that were not timed.
    std::vector<double> times() const;
    /// Null: nothing was timed.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// What closed groups show: how much of the whole time is spent in them.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// Milliseconds by the path of each group; see `groupTimes`.
    void setGroups(std::unordered_map<std::string, double> times) { m_groups = std::move(times); }
    /// What the colours mean.
    ColourLegend legend() const;
    double longestMs() const { return m_longest; }
    /// Of which version the times are, when they are not of the one that is shown.
    const QString& stale() const { return m_stale; }

private:
    NodeStyle styleFor(const fx::timing::NodeTiming& node) const;

    std::vector<NodeStyle> m_styles; ///< the first one: of nodes that were not timed
    std::vector<std::uint32_t> m_styleOf;
    std::vector<double> m_ms; ///< of each style
    std::unordered_map<std::string, double> m_groups;
    NodeRegion m_spent; ///< the bar in a closed group
    double m_longest = 0, m_sum = 0;
    QString m_stale;
};

/// What the nodes in each group of the picture take together; `ms`: by node id. Any thread, for it takes as long as a
/// layout's first step.
std::unordered_map<std::string, double> groupTimes(const fx::GraphModule& model, const std::vector<double>& ms,
                                                   const fx::Progress& progress);

} // namespace ui

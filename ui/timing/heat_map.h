// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/node_style.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// The times of nodes as colours for the canvas: one ramp from nothing to the longest node, the number as a badge, and in tool tips.
///
/// After an edit the times of the version measured last stand in: for nodes that still have their name and still call the same; the others
/// have none, as nobody measured them. `stale` says so.
class HeatMap {
public:
    /// For the graph that is shown; in the colours of the theme now. Nothing when `times` has no report.
    void make(const KnownTimes& times, const fx::History* history);
    bool empty() const { return m_styles.empty(); }
    /// Null: plain, as for inputs and outputs.
    const NodeStyle* styleOf(fx::NodeId node) const;
    double longestMs() const { return m_longest; }
    /// Of which version the times are, when they are not of the one that is shown.
    const QString& stale() const { return m_stale; }

private:
    NodeStyle styleFor(const fx::timing::NodeTiming& node) const;

    std::vector<NodeStyle> m_styles; ///< the first one: of nodes that were not timed
    std::vector<std::uint32_t> m_styleOf;
    double m_longest = 0;
    QString m_stale;
};

} // namespace ui

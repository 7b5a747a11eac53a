// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/layer_error_message.h"
#include "ui/canvas/colour_legend.h"
#include "ui/quant/quant_plan.h"
#include "ui/scene/node_style.h"

#include <deque>
#include <map>
#include <unordered_map>

namespace ui {

/// Quantisation on the canvas: observers as badges on edges, and errors of layers as colours.
class QuantMarks {
public:
    /// Creates the badges of a plan for `version`, and colours if `errors` are of this version. Both may be null.
    void make(const fx::GraphModule& version, const QuantPlan* plan, const fx::remote::LayerErrors* errors);
    void clear() { *this = QuantMarks(); } ///< Removes all badges and colours.

    /// Returns the badge of the edge between two nodes, or null.
    const EdgeBadge* badgeOf(fx::NodeId from, fx::NodeId to) const;
    bool hasBadges() const { return !m_badgeOf.empty(); }  ///< True if an edge has a badge.
    const NodeStyle* styleOf(fx::NodeId node) const;       ///< Returns the style of a node, or null.
    bool hasColours() const { return !m_styleOf.empty(); } ///< True if a node has a colour.
    ColourLegend legend() const;                           ///< Returns the legend of the colours.

    /// Returns the position of an SQNR on the ramp, 0..1: from 50 dB, which is unnoticeable, to 0 dB, which is only
    /// noise.
    static double placeOf(double sqnr);

private:
    void addBadges(const fx::GraphModule& version, const QuantPlan& plan);
    void addColours(const fx::GraphModule& version, const fx::remote::LayerErrors& errors);

    std::deque<EdgeBadge> m_badges;
    std::map<std::pair<fx::NodeId, fx::NodeId>, const EdgeBadge*> m_badgeOf;
    std::deque<NodeStyle> m_styles;
    std::unordered_map<fx::NodeId, const NodeStyle*> m_styleOf;
    NodeStyle m_other; ///< of nodes that were not compared
};

/// Formats an SQNR: "31.4 dB", "no error", "lost".
QString decibelText(double sqnr);
/// Returns the letter of a badge: "H" for a histogram, "M" for minimum and maximum, "C" per channel, "F" fixed or fake,
/// "D" for other types.
std::string observerLetter(const QString& type);

} // namespace ui

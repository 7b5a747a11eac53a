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

/// What the canvas shows of quantisation: observers as badges on edges, and the errors of layers as colours.
class QuantMarks {
public:
    /// Of a version: badges of its plan; colours if `errors` are of this version.
    void make(const fx::GraphModule& version, const QuantPlan* plan, const fx::remote::LayerErrors* errors);
    void clear() { *this = QuantMarks(); }

    const EdgeBadge* badgeOf(fx::NodeId from, fx::NodeId to) const;
    bool hasBadges() const { return !m_badgeOf.empty(); }
    const NodeStyle* styleOf(fx::NodeId node) const;
    bool hasColours() const { return !m_styleOf.empty(); }
    ColourLegend legend() const;

    /// Where an SQNR stands on the ramp, 0..1: from 50 dB, which nobody notices, to 0 dB, which is nothing but noise.
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

/// "31.4 dB", "no error", "lost".
QString decibelText(double sqnr);
/// "H" for a histogram, "M" for minimum and maximum, "C" per channel, "F" fixed or faked, "D" for the rest.
std::string observerLetter(const QString& type);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_bands.h"
#include "ui/canvas/colour_legend.h"
#include "ui/canvas/node_style.h"
#include "ui/partition/stage_places.h"
#include "ui/partition/stage_plan.h"

#include <deque>
#include <unordered_map>

namespace ui {

/// How the canvas shows the stages of a plan: a band for each, a handle for each cut, hulls around calls that lie in
/// the band of another stage, and the shares of stages in closed groups that hold several. GUI thread only.
class StageOverlay {
public:
    /// `scene` may be null: then there are colours only. Linear in the calls, times the number of stages that have
    /// moved since the last call.
    void update(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current,
                std::shared_ptr<const Scene> scene);
    void clear();

    const std::shared_ptr<const CanvasBands>& bands() const { return m_bands; }
    /// The call's place under which a dragged cut may be put; see StagePlaces::cutAt.
    const StagePlaces* places() const { return m_places ? &*m_places : nullptr; }
    /// Of a call that lies in the band of another stage; else null.
    const NodeStyle* styleOf(fx::NodeId node) const;
    RegionShares sharesOf(const std::string& groupPath) const;
    ColourLegend legend() const { return m_legend; }

private:
    void makeBands(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current);
    void findOutsiders(const StagePlan& plan, const fx::StageLine::Cuts& cuts);
    void countShares(const fx::StageLine::Cuts& cuts);

    std::shared_ptr<const Scene> m_scene;
    std::shared_ptr<const fx::StageLine> m_line;
    std::optional<StagePlaces> m_places;
    std::shared_ptr<const CanvasBands> m_bands;
    std::deque<NodeRegion> m_regions;    ///< by stage
    std::deque<NodeStyle> m_styles;      ///< by stage
    std::vector<std::int32_t> m_styleOf; ///< by node id: the stage, or -1
    std::unordered_map<std::string, RegionShares> m_shares;
    ColourLegend m_legend;
};

} // namespace ui

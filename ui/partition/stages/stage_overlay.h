// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_bands.h"
#include "ui/canvas/colour_legend.h"
#include "ui/partition/stages/stage_places.h"
#include "ui/partition/stages/stage_plan.h"
#include "ui/scene/node_style.h"

#include <deque>
#include <unordered_map>

namespace ui {

/// The stages of a plan on the canvas: a band for each, a handle for each cut, hulls around calls that lie in the band
/// of another stage, and the shares of stages in closed groups that hold several. GUI thread only.
class StageOverlay {
public:
    /// Shows `cuts` of `plan`. With a null `scene`, sets only the legend. Linear in the calls, times the number of cuts
    /// at positions that are new in this scene.
    void update(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current,
                std::shared_ptr<const Scene> scene);
    void clear(); ///< Removes everything.

    /// The bands; null without a scene.
    const std::shared_ptr<const CanvasBands>& bands() const { return m_bands; }
    /// The positions of the calls, for dragged cuts; null without a scene.
    const StagePlaces* places() const { return m_places ? &*m_places : nullptr; }
    /// Returns the style of a call that lies in the band of another stage; null for other calls.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// Returns the shares of the stages in a closed group.
    RegionShares sharesOf(const std::string& groupPath) const;
    ColourLegend legend() const { return m_legend; } ///< The legend of the stages.

private:
    void makeBands(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current);
    void findOutsiders(const StagePlan& plan, const fx::StageLine::Cuts& cuts);
    double lineOf(std::size_t cut);
    void countShares(const fx::StageLine::Cuts& cuts);

    std::shared_ptr<const Scene> m_scene;
    std::shared_ptr<const fx::StageLine> m_line;
    std::optional<StagePlaces> m_places;
    std::unordered_map<std::size_t, double> m_lines; ///< by cut: StagePlaces::lineOf, which is linear in the calls
    std::shared_ptr<const CanvasBands> m_bands;
    std::deque<NodeRegion> m_regions;    ///< by stage
    std::deque<NodeStyle> m_styles;      ///< by stage
    std::vector<std::int32_t> m_styleOf; ///< by node id: the stage, or -1
    std::unordered_map<std::string, RegionShares> m_shares;
    ColourLegend m_legend;
};

} // namespace ui

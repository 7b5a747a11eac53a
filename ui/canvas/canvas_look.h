// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <deque>
#include <memory>
#include <unordered_map>

namespace ui {

/// A snapshot of the canvas's colours, for drawing on another thread. Immutable.
struct CanvasLook {
    std::shared_ptr<const Scene> scene;             ///< the scene of `regionsIn` and `wayEdges`
    std::vector<NodeStyle> styles;                  ///< copies, referred to by `styleOf`
    std::vector<std::int32_t> styleOf;              ///< by node id; -1 for the plain look
    std::deque<NodeRegion> regions;                 ///< copies, referred to by styles and shares
    std::unordered_map<fx::NodeId, NodeMark> marks; ///< "new", "edited", "fails"
    std::vector<RegionShares> regionsIn;            ///< by group of `scene`
    std::unordered_set<std::uint32_t> wayEdges;     ///< edges of the displayed path
    std::shared_ptr<const CanvasBands> bands;       ///< null: no bands
    bool hasRegions = false;                        ///< regions are drawn

    /// Copies the look of `state`; null if it has neither styles nor marks. O(nodes of the picture).
    static std::shared_ptr<const CanvasLook> of(const CanvasState& state);
    /// Returns the style of a node, or null.
    const NodeStyle* styleAt(fx::NodeId node) const {
        const std::size_t id = fx::index(node);
        return id < styleOf.size() && styleOf[id] >= 0 ? &styles[static_cast<std::size_t>(styleOf[id])] : nullptr;
    }
    /// Applies the look to `state`, which may show another scene of the same graph. `look` must outlive the state.
    static void put(const std::shared_ptr<const CanvasLook>& look, CanvasState& state);
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/frame.h"

#include <deque>
#include <memory>
#include <unordered_map>

namespace ui {

/// A snapshot of the canvas's colours, for drawing on another thread. Immutable.
struct CanvasLook {
    std::shared_ptr<const Scene> scene; ///< the scene of `regionsIn` and `wayEdges`
    std::vector<NodeStyle> styles;
    std::vector<std::int32_t> styleOf; ///< by node id; -1 for the plain look
    std::deque<NodeRegion> regions;
    std::unordered_map<fx::NodeId, NodeMark> marks; ///< "new", "edited", "fails"
    std::vector<RegionShares> regionsIn;
    std::unordered_set<std::uint32_t> wayEdges;
    std::shared_ptr<const CanvasBands> bands;
    bool hasRegions = false;

    /// Null if nothing is coloured or marked. O(nodes of the picture).
    static std::shared_ptr<const CanvasLook> of(const CanvasState& state);
    const NodeStyle* styleAt(fx::NodeId node) const {
        const std::size_t id = fx::index(node);
        return id < styleOf.size() && styleOf[id] >= 0 ? &styles[static_cast<std::size_t>(styleOf[id])] : nullptr;
    }
    /// Applies the look to `state`, which may show another scene of the same graph. `look` must outlive the state.
    static void put(const std::shared_ptr<const CanvasLook>& look, CanvasState& state);
};

} // namespace ui

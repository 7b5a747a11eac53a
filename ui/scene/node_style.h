// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <QColor>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ui {

/// A group of nodes that is drawn in one hatched hull.
struct NodeRegion {
    QColor color;
    int hatch = 0;    ///< as NodeStyle::hatch
    std::string name; ///< "partition 0"
};

/// The number of nodes of each region inside a closed group; null for no region.
using RegionShares = std::vector<std::pair<const NodeRegion*, std::uint32_t>>;

/// How a node's look differs from its kind: heat maps, partitions, matches, differences.
struct NodeStyle {
    QColor fill, line; ///< by kind if invalid
    std::string badge; ///< short text at the lower right ("unsupported", "2"), so that colour is never the only cue
    QColor badgeColor; ///< the line colour if invalid
    std::string note;  ///< more lines of the tooltip
    int hatch = -1;    ///< 0..7: one of the hatchings for Theme::partitions
    const NodeRegion* region = nullptr; ///< lives as long as the style
    bool struck = false;                ///< erased: name struck through
    bool faint = false;                 ///< dimmed: unchanged or unaffected
    bool marked = false;                ///< accent outline without selection: a match
};

/// A mark of a node, independent of the colours on the canvas: a pill at its upper right corner.
struct NodeMark {
    enum class Kind : std::uint8_t { New, Edited, Suspect, Fails }; ///< Suspect and Fails also get a dashed frame
    Kind kind = Kind::New;
    std::string text; ///< "new", "edited", "fails"
    std::string note; ///< more lines of the tooltip
};

/// A badge on an edge, which can be clicked: what stands between a value and its user, such as an observer.
struct EdgeBadge {
    std::string text; ///< one or two characters
    QColor color;
    std::string note;   ///< the tooltip
    bool faint = false; ///< hollow: what the user has taken away
};

/// The style of a node, or null for the plain look. Called for each drawn node, so it must be fast. The style must live
/// until the canvas gets another styler.
using NodeStyler = std::function<const NodeStyle*(fx::NodeId)>;
/// The mark of a node, or null. Called for each drawn node, so it must be fast. The mark must live until the canvas
/// gets another marker.
using NodeMarker = std::function<const NodeMark*(fx::NodeId)>;
/// The badge of the edge between two nodes, or null. Called for each drawn edge, so it must be fast. The badge must
/// live until the canvas gets another source.
using EdgeBadger = std::function<const EdgeBadge*(fx::NodeId from, fx::NodeId to)>;
/// The shares in a closed group, by its path in the picture; empty if unknown.
using RegionSource = std::function<RegionShares(const std::string& path)>;

} // namespace ui

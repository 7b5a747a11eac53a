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
    QColor color;     ///< the colour of hull and hatching
    int hatch = 0;    ///< a hatching, as `NodeStyle::hatch`
    std::string name; ///< "partition 0"
};

/// The number of nodes of each region inside a closed group. The null region counts the nodes of no region.
using RegionShares = std::vector<std::pair<const NodeRegion*, std::uint32_t>>;

/// How the look of a node differs from that of its kind: heat maps, partitions, matches, differences.
struct NodeStyle {
    QColor fill, line; ///< invalid: by the kind of node
    std::string badge; ///< short text at the lower right ("unsupported", "2"), so that colour is never the only cue
    QColor badgeColor; ///< invalid: the line colour
    std::string note;  ///< more lines of the tooltip
    int hatch = -1;    ///< 0..7: one of the hatchings for Theme::partitions. -1: not hatched
    const NodeRegion* region = nullptr; ///< lives as long as the style. Null: no region.
    bool struck = false;                ///< erased: the name is struck through
    bool faint = false;                 ///< unchanged or unaffected: dimmed
    bool marked = false;                ///< a match: accent outline without selection
};

/// A mark of a node, independent of the colours on the canvas: a pill at its upper right corner.
struct NodeMark {
    enum class Kind : std::uint8_t { New, Edited, Suspect, Fails }; ///< Suspect and Fails also get a dashed frame
    Kind kind = Kind::New;                                          ///< selects colour and frame
    std::string text;                                               ///< "new", "edited", "fails"
    std::string note;                                               ///< more lines of the tooltip
};

/// A clickable badge on an edge: what is inserted between a value and its user, such as an observer.
struct EdgeBadge {
    std::string text;   ///< one or two characters
    QColor color;       ///< the colour of the badge
    std::string note;   ///< the tooltip
    bool faint = false; ///< hollow: removed by the user
};

/// Returns the style of a node, or null for the plain look. Called for each drawn node, so it must be fast. The style
/// must live until the canvas gets another styler.
using NodeStyler = std::function<const NodeStyle*(fx::NodeId)>;
/// Returns the mark of a node, or null. Called for each drawn node, so it must be fast. The mark must live until the
/// canvas gets another marker.
using NodeMarker = std::function<const NodeMark*(fx::NodeId)>;
/// Returns the badge of the edge between two nodes, or null. Called for each drawn edge, so it must be fast. The badge
/// must live until the canvas gets another source.
using EdgeBadger = std::function<const EdgeBadge*(fx::NodeId from, fx::NodeId to)>;
/// Returns the shares in a closed group, by its path in the picture; empty if unknown.
using RegionSource = std::function<RegionShares(const std::string& path)>;

} // namespace ui

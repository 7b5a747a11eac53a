// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <QColor>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ui {

/// Nodes that belong together: they stand in one hatched hull, wherever they are.
struct NodeRegion {
    QColor color;
    int hatch = 0;    ///< as NodeStyle::hatch
    std::string name; ///< "partition 0"
};

/// How many nodes of each region are inside a closed group; a null region: of none.
using RegionShares = std::vector<std::pair<const NodeRegion*, std::uint32_t>>;

/// How a node differs from the look of its kind: heat maps, partitions, matches, diffs.
struct NodeStyle {
    QColor fill, line;                  ///< invalid: by kind
    std::string badge;                  ///< short word at the lower right ("refused", "2"), never colour alone
    QColor badgeColor;                  ///< invalid: the line colour
    std::string note;                   ///< more lines of the tool tip
    int hatch = -1;                     ///< 0..7: one of the hatchings that go with Theme::partitions
    const NodeRegion* region = nullptr; ///< lives as long as the style
    bool struck = false;                ///< erased: name struck through
    bool faint = false;                 ///< stepped back: unchanged, not concerned
    bool marked = false;                ///< accent outline without being selected: a match
};

/// `wanted` where it can be read on that filling (contrast of 4.5 at least), else blackish or white, whichever can.
QColor readableOn(const QColor& fill, const QColor& wanted);

/// The style of a node, or null for the plain look; asked for each node drawn, so it must be quick. The style must
/// stay alive until the canvas has another styler.
using NodeStyler = std::function<const NodeStyle*(fx::NodeId)>;
/// What a closed group holds, by its path in the picture; empty when that is not known.
using RegionSource = std::function<RegionShares(const std::string& path)>;

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/ops/family.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fx {

/// A point in pixels at 100 % zoom; y grows downwards.
struct Point {
    double x = 0, y = 0;
};
/// An axis-parallel box: top left corner and size, in pixels at 100 % zoom; y grows downwards.
struct Rect {
    double x = 0, y = 0, w = 0, h = 0;
    double right() const { return x + w; }
    double bottom() const { return y + h; }
    Point center() const { return {x + w / 2, y + h / 2}; }
};

// Dimensions of the drawing in a box; rectangles are sized for them.
inline constexpr double kNodeHeight = 44;        ///< name and shape in the first line, the operation in the second
inline constexpr double kChipRowHeight = 20;     ///< added below if the node has chips
inline constexpr double kCopyHeight = 24;        ///< a repeated hub: its title alone
inline constexpr double kNodePadding = 12;       ///< left (after the stripe) and right of texts
inline constexpr double kNodeStripe = 4;         ///< coloured stripe on the left
inline constexpr double kMarkWidth = 20;         ///< mark of a family, before the operation
inline constexpr double kGroupHeader = 28;       ///< title, type and count of an open group
inline constexpr double kClosedGroupHeight = 52; ///< title; type and count
inline constexpr double kStubLabelWidth = 120;   ///< width of a stub label

/// The direction of the data flow.
enum class Direction : std::uint8_t { TopDown, LeftRight };

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu; ///< parent of items at top level

/// A node as drawn. A hub is drawn again at its uses; these items have the same `node`.
struct NodeItem {
    NodeId node = kNoNode;
    std::uint32_t copy = 0;                  ///< 0 for the node itself; k > 0 for the k-th copy of a hub
    std::uint32_t group = kNoGroup;          ///< index of the enclosing group
    Rect rect;                               ///< in picture coordinates
    std::string title;                       ///< name without the path of the group
    std::string what;                        ///< operation: "Conv2d 3→32 3×3 /2", elided to the box
    std::uint32_t brief = 0;                 ///< bytes of `what` before the settings: "Conv2d"
    std::string shape;                       ///< "64×56×56", the bytes of a parameter, or empty
    ops::Family family = ops::Family::Other; ///< for the mark and the colour
    std::vector<std::string> chips;          ///< parameters and constants drawn on their user: "weight", "bias"
    std::vector<NodeId> chipNodes;           ///< the get_attr nodes or placeholders of the chips
};

/// A module path, or an artificial part of a level, as drawn: a titled box, expanded or collapsed.
struct GroupItem {
    std::string path;  ///< "layer1.0"; artificial groups end in "#k", later parts of a group called twice in "@k"
    std::string title; ///< "conv1", "layer1.0"
    std::string type;  ///< "BasicBlock" or empty
    std::uint32_t parent = kNoGroup; ///< index in `Picture::groups`
    Rect rect;
    bool expanded = false;           ///< its content is drawn
    bool artificial = false;         ///< a part of a level without a module path
    std::uint32_t nodeCount = 0;     ///< all graph nodes inside at any depth
    std::uint32_t sameAs = kNoGroup; ///< an earlier group with the same structure
    std::uint32_t depth = 0;         ///< number of groups around it
};

/// An edge between two drawn items. Indices below nodes.size() are nodes, others are groups (index - nodes.size()).
struct EdgeItem {
    std::uint32_t from = 0, to = 0;
    /// The points from border to border. Lines along the flow are straight. Other lines are drawn as an S with its ends
    /// along the flow (`curveBetween` in edge_curve.h); the rectangle between the two points is free of boxes.
    std::vector<Point> points;
    bool stub = false;        ///< very long: drawn as two labelled ends until selected
    std::uint32_t gap = 0;    ///< for a stub: points[0..gap] is the end at the source, the rest the end at the target
    std::uint32_t weight = 1; ///< number of graph edges that it represents
};

/// The text at an open end of a stub, which names the item at the other end.
struct StubLabel {
    std::uint32_t edge = 0; ///< index in `Picture::edges`
    bool atTarget = false;  ///< the end at the target; if false, at the source
    Rect rect;
    std::string text; ///< elided to the rectangle
};

/// The geometry of a graph with some groups expanded, complete for painting. Immutable.
struct Picture {
    std::vector<NodeItem> nodes;
    std::vector<GroupItem> groups; ///< parents before children
    std::vector<EdgeItem> edges;
    std::vector<StubLabel> stubLabels;
    Rect bounds;                              ///< encloses all items
    Direction direction = Direction::TopDown; ///< direction of the data flow
    double millis = 0;                        ///< duration of the layout
    std::string engine = "layered";           ///< "layered", "dot" or "mixed"
};

} // namespace fx

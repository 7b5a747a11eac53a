// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fx {

struct Point {
    double x = 0, y = 0;
};
/// Axis-parallel box: top left corner and size. y grows downwards; units are pixels at 100 % zoom.
struct Rect {
    double x = 0, y = 0, w = 0, h = 0;
    double right() const { return x + w; }
    double bottom() const { return y + h; }
    Point center() const { return {x + w / 2, y + h / 2}; }
};

enum class Direction : std::uint8_t { TopDown, LeftRight };

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu;

/// A node as drawn. A hub source is drawn again at its uses: then several items have the same `node`.
struct NodeItem {
    NodeId node = kNoNode;
    std::uint32_t copy = 0;          ///< 0: the node itself; k > 0: the k-th repeated copy of a hub
    std::uint32_t group = kNoGroup;  ///< index of the enclosing group
    Rect rect;
    std::string title;               ///< name
    std::string subtitle;            ///< target and short arguments, already elided to the box
    std::string shape;               ///< "64×56×56" or empty
    std::vector<std::string> chips;  ///< parameters and constants folded into their user: "weight", "bias"
};

/// A module path (or an artificial chunk of a level) as drawn: a titled box, expanded or collapsed.
struct GroupItem {
    std::string path;                ///< "layer1.0"; artificial groups end in "#k"
    std::string title;               ///< "0"
    std::string type;                ///< "BasicBlock" or empty
    std::uint32_t parent = kNoGroup;
    Rect rect;
    bool expanded = false;
    bool artificial = false;
    std::uint32_t nodeCount = 0;     ///< all graph nodes inside, at any depth
    std::uint32_t sameAs = kNoGroup; ///< an earlier group of the same structure
    std::uint32_t depth = 0;
};

/// An edge between two drawn things. Indices below nodes.size() are nodes, others are groups (index - nodes.size()).
struct EdgeItem {
    std::uint32_t from = 0, to = 0;
    std::vector<Point> points;   ///< polyline from border to border, to be drawn as a smooth curve
    bool stub = false;           ///< very long: drawn as two labelled ends until selected
    std::uint32_t weight = 1;    ///< how many graph edges it stands for
};

/// The geometry of a graph with some groups expanded: everything a painter needs. Immutable once made.
struct Picture {
    std::vector<NodeItem> nodes;
    std::vector<GroupItem> groups; ///< parents before children
    std::vector<EdgeItem> edges;
    Rect bounds;
    Direction direction = Direction::TopDown;
    double millis = 0;             ///< what the layout took
    std::string engine = "layered"; ///< "layered", "dot" or "mixed"
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/compose.h"

#include <unordered_map>

namespace fx {

/// A drawn item: a node by its id, or a closed group by its index.
class DrawnId {
public:
    static DrawnId node(NodeId id) { return DrawnId(index(id)); }                 ///< a node
    static DrawnId group(std::uint32_t group) { return DrawnId(group | kGroup); } ///< a closed group
    bool isGroup() const { return (m_code & kGroup) != 0; }
    std::uint32_t value() const { return m_code & ~kGroup; } ///< NodeId or index of the group
    /// A unique code for the item, usable as a key.
    std::uint32_t code() const { return m_code; }
    bool operator==(const DrawnId&) const = default;

private:
    static constexpr std::uint32_t kGroup = 0x80000000u;
    explicit DrawnId(std::uint32_t code) : m_code(code) {}
    std::uint32_t m_code;
};

/// The visible part of a hierarchy with certain groups open, before placement.
///
/// Every graph edge becomes an edge between drawn items; parallel edges are merged. An edge consists of one wire in
/// each level that it crosses. Hubs become copies, and edges that are too long in a level become stubs.
struct Shown {
    /// An edge between drawn items.
    struct Edge {
        DrawnId from, to;
        std::uint32_t weight = 1;                 ///< number of graph edges
        bool stub = false;                        ///< too long to be drawn in full
        std::uint32_t firstPiece = 0, pieces = 0; ///< range in `pieces`
    };
    /// The part of an edge in one level.
    struct Piece {
        std::uint32_t group = 0; ///< group of the level
        Wire wire;               ///< in that level
    };
    /// A hub drawn again beside `user`.
    struct Copy {
        NodeId node;
        std::uint32_t number;     ///< 1 for the first copy
        DrawnId user;             ///< item that the copy is drawn beside
        std::uint32_t weight = 1; ///< number of graph edges
    };
    /// A slot of a dock: a copy, or the end of a stub.
    struct Slot {
        bool isCopy;
        std::uint32_t index; ///< in `copies` or `edges`
    };
    /// The slots of a box.
    struct DockSlots {
        std::vector<Slot> heads, tails; ///< incoming and outgoing, in order of the stack
    };
    std::vector<bool> open;               ///< by group: visible and open
    std::vector<std::uint32_t> closedIn;  ///< by group: the outermost closed group around it, or itself; kNone if open
    std::vector<Edge> edges;              ///< in graph order of the source
    std::vector<Piece> pieces;            ///< of all edges
    std::vector<Copy> copies;             ///< of all hubs
    std::vector<std::vector<Wire>> wires; ///< by group: sorted, without duplicates
    std::unordered_map<std::uint32_t, DockSlots> docks; ///< by DrawnId::code

    /// Returns the item that represents a node: itself, or the closed group around it.
    DrawnId drawn(const Hierarchy& hierarchy, NodeId node) const {
        const auto closed = closedIn[hierarchy.groupOf[index(node)]];
        return closed == kNone ? DrawnId::node(node) : DrawnId::group(closed);
    }
    /// Returns the slots of an item, or null.
    const DockSlots* dock(DrawnId id) const {
        const auto found = docks.find(id.code());
        return found == docks.end() ? nullptr : &found->second;
    }
};

/// Computes the visible part of a hierarchy.
Shown show(const Graph& graph, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
           const Progress& progress);

/// Returns the plan of a level, created on first use.
const LevelPlan& planOf(const Hierarchy& hierarchy, std::uint32_t group, LayoutCache& cache, const Progress& progress);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/grouping.h"

namespace fx {

/// The maximum number of nodes and groups in a level; larger levels are cut into artificial groups.
inline constexpr std::size_t kMaxLevelItems = 200;
/// The number of uses above which a node is a hub: connected to its first use and drawn again at the others.
inline constexpr std::size_t kHubUses = 8;

/// An item in a group: a node or another group.
struct LevelItem {
    bool isGroup = false; ///< a group, not a node
    std::uint32_t id = 0; ///< NodeId or index of the group
};

/// The levels of a graph: nested groups, each with an abstract graph of its content.
///
/// Computed once per graph, independently of which groups are open. If the content of a group occurs twice with
/// dependent nodes in between (a module called twice), the group is split into "encoder" and "encoder@2", so every
/// level is acyclic. Groups with a single node are dissolved.
struct Hierarchy {
    struct Group {
        std::string path, title, type;
        std::uint32_t parent = kNone, depth = 0; ///< index of the enclosing group, and number of groups around
        bool artificial = false;                 ///< a part of a level without a module path
        std::vector<LevelItem> items;            ///< topologically sorted, close to graph order
        std::uint32_t nodeCount = 0;             ///< drawn nodes inside at any depth, and their chips
        std::uint32_t sameAs = kNone;            ///< first group with the same structure, if it is a different one
        std::uint32_t structure = 0;             ///< equal for groups with the same structure
        std::vector<NodeId> inPorts, outPorts;   ///< nodes whose values enter and leave
        /// In-ports, then items, then out-ports: see `box`.
        LevelGraph level;

        /// Returns the index of an item in `level`.
        std::uint32_t box(std::uint32_t item) const { return static_cast<std::uint32_t>(inPorts.size()) + item; }
        /// Returns the index of an out-port in `level`.
        std::uint32_t outPort(std::uint32_t port) const { return box(static_cast<std::uint32_t>(items.size())) + port; }
    };
    std::vector<Group> groups;              ///< parents before children, 0 is the root
    std::vector<std::uint32_t> groupOf;     ///< by node id; kNone if not drawn as a node
    std::vector<std::uint32_t> itemOf;      ///< by node id: index in the items of its group
    std::vector<std::uint32_t> itemOfGroup; ///< by group: index in the items of its parent
    std::vector<std::uint32_t> label;       ///< by node id: equal for nodes with the same kind and target
    std::vector<std::vector<NodeId>> chips; ///< by node id: parameters and constants drawn on the node
    std::vector<bool> hub;                  ///< by node id

    /// Returns the index of the in-port of a node, or kNone. O(log ports).
    std::uint32_t inPortOf(std::uint32_t group, NodeId source) const { return m_inPorts[group].find(source); }
    /// Returns the index of the out-port of a node, or kNone. O(log ports).
    std::uint32_t outPortOf(std::uint32_t group, NodeId source) const { return m_outPorts[group].find(source); }

    /// Computes the hierarchy of a graph without the `hidden` nodes.
    static Hierarchy of(const GraphModule& module, const std::set<NodeId>& hidden = {}, const Progress& progress = {});

private:
    friend class LevelBuilder;
    struct PortIndex {
        std::vector<std::pair<NodeId, std::uint32_t>> byNode; ///< sorted
        std::uint32_t find(NodeId source) const;
    };
    std::vector<PortIndex> m_inPorts, m_outPorts;
};

} // namespace fx

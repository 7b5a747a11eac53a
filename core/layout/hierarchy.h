// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/grouping.h"

namespace fx {

/// The maximum number of nodes and groups in a level; larger levels are cut into artificial groups.
inline constexpr std::size_t kMaxLevelItems = 200;
/// A node with more uses is a hub: connected to its first use and drawn again at the others.
inline constexpr std::size_t kHubUses = 8;

/// An item in a group: a node or another group.
struct LevelItem {
    bool isGroup = false;
    std::uint32_t id = 0; ///< NodeId or index of the group
};

/// The levels of a graph: nested groups, each with the abstract graph of its content.
///
/// Computed once per graph, independently of which groups are open. If the content of a group occurs twice with
/// dependent nodes in between (a module called twice), the group is split into "encoder" and "encoder@2", so that every
/// level is acyclic. Groups with a single node are dissolved.
struct Hierarchy {
    struct Group {
        std::string path, title, type;
        std::uint32_t parent = kNone, depth = 0;
        bool artificial = false;
        std::vector<LevelItem> items;          ///< in topological order, near graph order
        std::uint32_t nodeCount = 0;           ///< drawn nodes inside, at any depth, and their chips
        std::uint32_t sameAs = kNone;          ///< the first group with the same structure, if it is a different one
        std::uint32_t structure = 0;           ///< equal for groups with the same structure
        std::vector<NodeId> inPorts, outPorts; ///< the nodes whose values enter and leave
        /// in-ports, items, out-ports: see `box`
        LevelGraph level;

        /// The index of an item, in-port or out-port in `level`.
        std::uint32_t box(std::uint32_t item) const { return static_cast<std::uint32_t>(inPorts.size()) + item; }
        std::uint32_t outPort(std::uint32_t port) const { return box(static_cast<std::uint32_t>(items.size())) + port; }
    };
    std::vector<Group> groups;              ///< parents before children, 0 is the root
    std::vector<std::uint32_t> groupOf;     ///< per node id; kNone if not drawn as a node
    std::vector<std::uint32_t> itemOf;      ///< per node id: its index in the items of its group
    std::vector<std::uint32_t> itemOfGroup; ///< per group: its index in the items of its parent
    std::vector<std::uint32_t> label;       ///< per node id: equal for nodes with the same kind and target
    std::vector<std::vector<NodeId>> chips; ///< per node id
    std::vector<bool> hub;                  ///< per node id

    /// Index of a port by its node, or kNone. Logarithmic.
    std::uint32_t inPortOf(std::uint32_t group, NodeId source) const { return m_inPorts[group].find(source); }
    std::uint32_t outPortOf(std::uint32_t group, NodeId source) const { return m_outPorts[group].find(source); }

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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/level_graph.h"
#include "core/module/graph_module.h"

#include <set>

namespace fx {

/// The tree of module paths of a graph and where in it every node belongs; the first step of a Hierarchy.
struct Grouping {
    struct Group {
        std::string path; ///< "layer1.0"; "" for the root
        std::string type; ///< class name of the module or empty
        std::uint32_t parent = kNone;
        std::uint32_t depth = 0;
    };
    std::vector<Group> groups;              ///< parents before children; 0 is the root
    std::vector<std::uint32_t> groupOf;     ///< per node id; kNone: not drawn as a node (a chip, hidden or erased)
    std::vector<std::vector<NodeId>> chips; ///< per node id: parameters and constants drawn on it
};

/// Paths deeper than this are cut: the rest belongs to the last group.
inline constexpr std::uint32_t kMaxGroupDepth = 32;

/// Finds the group of every node.
///
/// A call_module belongs to the path of its target without the last atom, a node with a module stack to the innermost
/// module of the stack. Any other call lies between modules: it belongs to the deepest group that holds one of its
/// inputs and one of its users (so the addition of a ResNet block is in the block). When that is a mere container
/// (Sequential, ModuleList, ModuleDict), which computes nothing itself, the call goes to the child of its last input,
/// else to that of its first user. Calls without inputs belong
/// to their users, calls without users to their inputs.
Grouping groupNodes(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress = {});

} // namespace fx

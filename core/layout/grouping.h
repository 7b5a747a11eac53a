// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/joined_path.h"
#include "core/layout/level_graph.h"
#include "core/module/graph_module.h"

#include <set>
#include <string_view>

namespace fx {

/// The tree of module paths of a graph and the group of every node: the first step of a Hierarchy.
struct Grouping {
    struct Group {
        std::string path;             ///< "layer1.0"; "" for the root
        std::string type;             ///< class name of the module, or empty
        std::uint32_t parent = kNone; ///< index of the enclosing group
        std::uint32_t depth = 0;      ///< number of groups around it
    };
    std::vector<Group> groups;              ///< parents before children; 0 is the root
    std::vector<std::uint32_t> groupOf;     ///< by node id; kNone if not drawn as a node (a chip, hidden or erased)
    std::vector<std::vector<NodeId>> chips; ///< by node id: parameters and constants drawn on the node
};

/// The depth at which paths are cut; the rest belongs to the last group.
inline constexpr std::uint32_t kMaxGroupDepth = 32;

/// Finds the group of every node.
///
/// A call_module belongs to the path of its target without the last atom, a node with a module stack to the innermost
/// module of the stack, and a function that reads the parameters of one module to that module. Any other call is
/// between modules. Module calls are nested, so it belongs to the deepest group that contains one of its inputs and one
/// of its users, or two different inputs: the addition of a ResNet block is in the block. Containers (Sequential,
/// ModuleList, ModuleDict, and modules of unknown class whose children have numbers as names) compute nothing. A call
/// in a container moves to the child with its last input if that has all inputs, or else to the module around the
/// container. A call that ends the other blocks of a container also ends its last block. Calls without inputs belong to
/// their users, calls without users to their inputs.
Grouping groupNodes(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress = {});

} // namespace fx

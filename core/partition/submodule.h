// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// The attributes of a new GraphModule, taken from other modules path by path (torch.fx `_copy_attr`, `_assign_attr`):
/// modules and parameters are shared with where they come from, other tensors become persistent buffers, empty modules
/// stand on the way.
class AttributeTree {
public:
    explicit AttributeTree(std::shared_ptr<Module> root) { m_places.emplace("", Place{std::move(root), true}); }

    /// Puts what `value` leads to at `path`; a module that was made as a way takes it over. Once for each path.
    void assign(const std::string& path, const PathTarget& value);

private:
    struct Place {
        std::shared_ptr<Module> module;
        bool made = false; ///< here, and not one of the modules taken
    };
    Module* madeAt(const std::string& path);
    void putModule(Module& holder, const std::string& name, const std::string& path,
                   const std::shared_ptr<Module>& module);

    std::unordered_map<std::string, Place> m_places; ///< by path
    std::unordered_set<std::string> m_done;
};

/// A module that is a GraphModule of this graph with the attributes of `root`, as `GraphModule(root, graph, className)`
/// makes it: in training mode.
std::shared_ptr<Module> asGraphModule(const std::shared_ptr<Module>& root, Graph graph, const std::string& className);

/// The root of a model with the graphs of its higher-order operators as modules, as they are in torch.fx, so that they
/// move with the nodes that name them. The root itself when there are none.
std::shared_ptr<Module> rootWithSubgraphs(const GraphModule& model);

/// What a get_attr or call_module node of a model refers to. Throws Error{Refused} when that does not exist.
PathTarget needTarget(PathResolver& paths, const Node& node);

/// Copies a node into another graph (torch.fx `node_copy`): `name` empty for one made from the target. Metadata is
/// shared.
NodeId copyNode(Graph& to, const Node& node, const std::function<Argument(NodeId)>& map, std::string_view name,
                const std::string& target = {});

} // namespace fx

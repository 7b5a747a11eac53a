// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// The attributes of a new GraphModule, copied from other modules path by path. Mirrors torch.fx's `_copy_attr` and
/// `_assign_attr`. Modules and parameters are shared with their source, other tensors become persistent buffers, and
/// missing modules on the path are created empty.
class AttributeTree {
public:
    /// `root` is changed in place.
    explicit AttributeTree(std::shared_ptr<Module> root) { m_places.emplace("", Place{std::move(root), true}); }

    /// Assigns `value` at `path`, merging any module created there. Call once for each path.
    void assign(const std::string& path, const PathTarget& value);

private:
    struct Place {
        std::shared_ptr<Module> module;
        bool made = false; ///< created here, not copied
    };
    Module* madeAt(const std::string& path);
    void putModule(Module& holder, const std::string& name, const std::string& path,
                   const std::shared_ptr<Module>& module);

    std::unordered_map<std::string, Place> m_places; ///< by path
    std::unordered_set<std::string> m_done;
};

/// Creates a GraphModule in training mode with the attributes of `root`. Mirrors `GraphModule(root, graph,
/// className)`.
std::shared_ptr<Module> asGraphModule(const std::shared_ptr<Module>& root, Graph graph, const std::string& className);

/// Returns the root of a model with the graphs of its higher-order operators as child modules, as in torch.fx, so that
/// they move with the nodes that use them. Returns the root itself if there are no such graphs.
std::shared_ptr<Module> rootWithSubgraphs(const GraphModule& model);

/// Returns the target of a get_attr or call_module node. Throws Error{Refused} if it does not exist.
PathTarget needTarget(PathResolver& paths, const Node& node);

/// Copies a node into another graph. Mirrors torch.fx's `node_copy`. An empty `name` is derived from the target.
/// Metadata is shared.
NodeId copyNode(Graph& to, const Node& node, const std::function<Argument(NodeId)>& map, std::string_view name,
                const std::string& target = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

#include <memory>
#include <set>

namespace fx {

/// Layout options: open groups, hidden nodes and direction.
struct LayoutOptions {
    Direction direction = Direction::TopDown;
    bool expandAll = false;
    std::set<std::string> expanded; ///< paths of open groups (ignored with expandAll)
    std::set<NodeId> hidden;
    bool fullNames = false; ///< cards have whole names and texts, however wide that makes them: for export
    enum class Engine : std::uint8_t { Auto, Layered, Dot } engine = Engine::Auto;
    /// The initial expansion: everything if the graph is small, else the outermost levels.
    static LayoutOptions initialFor(const GraphModule& module);
};

/// Which nodes are drawn in which group: a copy that outlives the layout and needs no lock.
struct GroupMembership {
    std::vector<std::string> paths; ///< by group; the top level is ""
    std::vector<std::uint32_t>
        parents; ///< by group, before their children; of the top level a number beyond all groups
    std::vector<std::uint32_t> groupOf; ///< by node id: the innermost group, of a chip that of its node; beyond all
                                        ///< groups: not drawn
    /// All nodes in a group, at any depth, in graph order. Linear.
    std::vector<NodeId> nodesIn(const Graph& graph, std::string_view path) const;
};

/// Computes the picture of a module's graph. Deterministic; linear in nodes + edges; cancellable within 100 ms.
///
/// The hierarchy (module paths, artificial groups, hubs, chips) is computed once per graph and kept by the instance;
/// each call lays out the open levels and reuses earlier ones.
class Layout {
public:
    explicit Layout(std::shared_ptr<const GraphModule> module);
    ~Layout();

    /// The layered picture, which is always available first.
    Picture layered(const LayoutOptions& options, const Progress& progress = {});
    /// The same picture with small levels placed by `dot` if that finishes in time; nullopt if nothing would change.
    std::optional<Picture> refined(const LayoutOptions& options, const Progress& progress = {});

    /// The path of the innermost group with `node` ("" for the top level), for revealing it.
    std::string groupOf(NodeId node) const;
    /// All groups around `node`, including artificial ones, outermost first. They must be open for the node to be
    /// visible.
    std::vector<std::string> groupsAround(NodeId node) const;
    /// All group paths, parents first.
    std::vector<std::string> groupPaths() const;
    /// Of the last picture. Linear in nodes and groups.
    GroupMembership membership() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace fx

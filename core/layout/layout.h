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
    Direction direction = Direction::TopDown; ///< direction of the data flow
    bool expandAll = false;                   ///< opens all groups
    std::set<std::string> expanded;           ///< paths of open groups (ignored with expandAll)
    std::set<NodeId> hidden;                  ///< nodes not drawn
    bool fullNames = false; ///< cards show whole names and texts and are as wide as needed: for export
    enum class Engine : std::uint8_t { Auto, Layered, Dot } engine = Engine::Auto;
    /// Returns the initial expansion: everything if the graph is small, else the outermost levels.
    static LayoutOptions initialFor(const GraphModule& module);
};

/// The group of each drawn node: a copy that outlives the layout and needs no lock.
struct GroupMembership {
    std::vector<std::string> paths;     ///< by group; the top level is ""
    std::vector<std::uint32_t> parents; ///< by group, parents first; beyond all groups for the top level
    /// By node id: the innermost group; for a chip, that of its node; beyond all groups if not drawn.
    std::vector<std::uint32_t> groupOf;
    /// Returns all nodes in a group at any depth, in graph order. Linear.
    std::vector<NodeId> nodesIn(const Graph& graph, std::string_view path) const;
};

/// Computes pictures of the graph of a module. Deterministic; linear in nodes + edges; cancellable within 100 ms.
///
/// The instance computes the hierarchy (module paths, artificial groups, hubs, chips) once per graph. Each call lays
/// out the open levels and reuses earlier ones.
class Layout {
public:
    explicit Layout(std::shared_ptr<const GraphModule> module);
    ~Layout();

    /// Returns the layered picture, which is always available first.
    Picture layered(const LayoutOptions& options, const Progress& progress = {});
    /// Returns the same picture with small levels ordered by `dot`, if that finishes in time; nullopt if nothing would
    /// change.
    std::optional<Picture> refined(const LayoutOptions& options, const Progress& progress = {});

    /// Returns the path of the innermost group with `node` ("" for the top level), for revealing it.
    std::string groupOf(NodeId node) const;
    /// Returns all groups around `node`, including artificial ones, outermost first. They must be open for the node to
    /// be visible.
    std::vector<std::string> groupsAround(NodeId node) const;
    /// Returns all group paths, parents first.
    std::vector<std::string> groupPaths() const;
    /// Returns the groups of the last picture. Linear in nodes and groups.
    GroupMembership membership() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"
#include "core/module/module_editor.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fx {

/// Chooses the paths of modules that a replacement creates for a match, and inserts the modules.
///
///     relu, used only by the match              relu            the new module takes over the path
///     relu, also called or read elsewhere       relu6_1         a free name beside it
///     no module                                 relu6_1         in the module that contains the nodes, or the root
///
/// Linear in the graph, then in the match and the length of paths.
class NewPaths {
public:
    /// Keeps a reference to `target`, which must outlive this object.
    explicit NewPaths(GraphModule& target);

    /// Records the modules and attributes that the nodes of a match use. Call it before the first of them is erased.
    void begin(const InternalMatch& match, const Graph& pattern);
    /// Updates the use counts. Call it after the nodes of the match are erased.
    void end();
    /// Returns a path for a module called `name` ("relu6") in place of the match. `mayTake` allows the path of a module
    /// that only the match used.
    std::string pathFor(const std::string& name, bool mayTake);
    /// Inserts a module at a path from `pathFor`. It takes the mode (training or evaluation) of the module that it
    /// replaces, or else of its parent.
    void put(const std::string& path, std::shared_ptr<Module> module);

private:
    void count(const std::string& target, int change);
    std::string parentOf(const Node& node) const;

    GraphModule& m_target;
    const std::shared_ptr<const Module> m_before; ///< the tree as it was; also keeps the editor from changing it
    PathResolver m_there;
    ModuleEditor m_editor;
    std::unordered_map<std::string, int> m_uses; ///< nodes that call or read a path, or something below it
    std::unordered_map<std::string, int> m_last; ///< last number appended to a name
    std::unordered_set<std::string> m_given;
    std::vector<std::pair<NodeId, std::string>> m_matched; ///< matched nodes that have a path, with the path
    std::string m_parent;
};

} // namespace fx

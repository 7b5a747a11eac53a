// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"
#include "core/module/module_editor.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fx {

/// Chooses where modules go that a replacement creates for a match, and puts them there.
///
///     relu, which only the match used           relu            the new module takes the path
///     relu, which others call or read, too      relu6_1         a free name beside it
///     no module                                 relu6_1         in the module that the nodes belong to, or the root
///
/// Linear in the graph, then in the match and the length of paths.
class NewPaths {
public:
    explicit NewPaths(GraphModule& target);

    /// Notes what the nodes of a match call, before any of them goes.
    void begin(const InternalMatch& match, const Graph& pattern);
    /// To be called when the nodes of the match are gone.
    void end();
    /// A path for a module called `name` ("relu6") in the place of the match; `mayTake`: that of the module that went.
    std::string pathFor(const std::string& name, bool mayTake);
    /// Puts a module at such a path, in the mode (training or evaluation) of the one before it, or of its parent.
    void put(const std::string& path, std::shared_ptr<Module> module);

private:
    void count(const std::string& target, int change);
    std::string parentOf(const Node& node) const;

    GraphModule& m_target;
    const std::shared_ptr<const Module> m_before; ///< the tree as it was; also keeps the editor from changing it
    PathResolver m_there;
    ModuleEditor m_editor;
    std::unordered_map<std::string, int> m_uses; ///< nodes that call or read a path, or something below it
    std::unordered_map<std::string, int> m_last; ///< last number that was given to a name
    std::unordered_set<std::string> m_given;
    std::vector<std::pair<NodeId, std::string>> m_matched; ///< nodes with paths, and these
    std::string m_parent;
};

} // namespace fx

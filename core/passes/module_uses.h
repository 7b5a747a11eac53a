// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace fx {

/// The paths of the module tree that the nodes of a graph use, and those that inputs of an exported program stand for.
class ModuleUses {
public:
    explicit ModuleUses(const GraphModule& model);

    /// Whether a node uses a module around this path, and so may use it indirectly.
    bool isInsideUsed(const std::string& path) const;
    /// Whether a node uses the path itself, a module around it, or something inside it.
    bool isUsed(const std::string& path) const;

private:
    void add(const std::string& path);
    std::unordered_set<std::string> m_named, m_above; ///< paths used by nodes, and their parents
};

/// Removes the modules at `paths` that no node uses any more; a path may come twice. Linear.
void removeUnusedModules(GraphModule& model, const std::vector<std::string>& paths);
inline void removeUnusedModules(GraphModule& model, const std::set<std::string>& paths) {
    removeUnusedModules(model, std::vector<std::string>(paths.begin(), paths.end()));
}

} // namespace fx

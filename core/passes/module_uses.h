// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace fx {

/// The paths in the module tree that nodes of a graph use, and those of the lifted inputs of an exported program.
class ModuleUses {
public:
    /// O(nodes).
    explicit ModuleUses(const GraphModule& model);

    /// True if a node uses the path, an ancestor or a descendant.
    bool isUsed(const std::string& path) const;

private:
    void add(const std::string& path);
    std::unordered_set<std::string> m_named, m_above; ///< paths used by nodes, and their parents
};

/// Removes the modules at `paths` that no node uses; duplicates are allowed. Linear.
void removeUnusedModules(GraphModule& model, const std::vector<std::string>& paths);
/// As above, for a set.
inline void removeUnusedModules(GraphModule& model, const std::set<std::string>& paths) {
    removeUnusedModules(model, std::vector<std::string>(paths.begin(), paths.end()));
}

} // namespace fx

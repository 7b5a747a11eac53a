// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>
#include <unordered_set>

namespace fx {

/// Which paths of the module tree the nodes of a graph name.
class ModuleUses {
public:
    explicit ModuleUses(const Graph& graph);

    /// A node names a module that holds this one, and so may use it out of sight.
    bool isInsideUsed(const std::string& path) const;
    /// A node names the path itself, something above it, or something in it.
    bool isUsed(const std::string& path) const;

private:
    std::unordered_set<std::string> m_named, m_above; ///< what nodes name; paths that lead there
};

/// Takes away the modules at `paths` that no node uses any more.
void removeUnusedModules(GraphModule& model, const std::set<std::string>& paths);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/module_uses.h"

#include "core/base/joined_path.h"
#include "core/module/computed_reads.h"
#include "core/module/module_editor.h"

#include <map>

namespace fx {
namespace {

/// Calls `visit` for all paths above `path`, innermost first, until it says true.
template<class Visit> bool anyAbove(const std::string& inner, Visit visit) {
    if (inner.find('.') == std::string::npos) return false; // of most, without a copy
    std::string path = inner;
    for (std::size_t dot; (dot = path.rfind('.')) != std::string::npos;) {
        path.resize(dot);
        if (visit(path)) return true;
    }
    return false;
}

} // namespace

ModuleUses::ModuleUses(const GraphModule& model) {
    for (const std::string& path : neededPaths(model.graph, *model.root)) add(path);
    for (const LiftedInput& input : model.lifted)
        if (!input.path.empty() && !model.graph.node(input.node).erased()) add(input.path);
}

void ModuleUses::add(const std::string& path) {
    if (m_named.insert(path).second)
        anyAbove(path, [this](const std::string& above) { return !m_above.insert(above).second; });
}

bool ModuleUses::isUsed(const std::string& path) const {
    return m_named.contains(path) || m_above.contains(path) ||
           anyAbove(path, [this](const std::string& above) { return m_named.contains(above); });
}

void removeUnusedModules(GraphModule& model, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    const ModuleUses uses(model);
    std::map<std::string, std::unordered_set<std::string_view>> byParent; // each parent is gone through once
    for (const std::string& path : paths) {
        if (!uses.isUsed(path)) byParent[std::string(parentPath(path))].insert(lastAtom(path));
    }
    ModuleEditor editor(model);
    for (const auto& [parent, gone] : byParent)
        if (Module* holder = editor.writable(parent))
            std::erase_if(holder->children, [&names = gone](const Module::Child& child) {
                return child.module && names.contains(child.name);
            });
}

} // namespace fx

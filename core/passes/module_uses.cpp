// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/module_uses.h"

#include "core/module/module_editor.h"

namespace fx {
namespace {

/// Calls `visit` for all paths above `path`, innermost first, until it says true.
template<class Visit> bool anyAbove(std::string path, Visit visit) {
    for (std::size_t dot; (dot = path.rfind('.')) != std::string::npos;) {
        path.resize(dot);
        if (visit(path)) return true;
    }
    return false;
}

} // namespace

ModuleUses::ModuleUses(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
        if ((node.op() != Op::CallModule && node.op() != Op::GetAttr) || !m_named.insert(node.target()).second)
            continue;
        anyAbove(node.target(), [this](const std::string& path) { return !m_above.insert(path).second; });
    }
}

bool ModuleUses::isInsideUsed(const std::string& path) const {
    return anyAbove(path, [this](const std::string& above) { return m_named.contains(above); });
}

bool ModuleUses::isUsed(const std::string& path) const {
    return m_named.contains(path) || m_above.contains(path) || isInsideUsed(path);
}

void removeUnusedModules(GraphModule& model, const std::set<std::string>& paths) {
    const ModuleUses uses(model.graph);
    ModuleEditor editor(model);
    for (const std::string& path : paths)
        if (!uses.isUsed(path)) editor.remove(path);
}

} // namespace fx

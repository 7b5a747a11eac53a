// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/dead_code.h"

#include "core/module/module_editor.h"
#include "core/module/purity.h"

#include <set>

namespace fx {
namespace {

std::size_t sweep(Graph& graph, const Module& root) {
    std::size_t erased = 0;
    for (NodeId id = graph.last(); id != kNoNode;) {
        const NodeId before = graph.prev(id);
        const Node& node = graph.node(id);
        if (node.users().empty() && !isImpure(root, node)) graph.erase(id), ++erased;
        id = before;
    }
    return erased;
}

} // namespace

std::size_t eliminateDeadCode(GraphModule& module) {
    const std::size_t erased = sweep(module.graph, *module.root);
    std::set<std::string> nested;
    for (const Node& node : module.graph.nodes()) {
        if (node.op() != Op::GetAttr) continue;
        const auto target = resolvePath(*module.root, node.target());
        if (target.kind == PathTarget::Kind::Module && target.module->graphModule) nested.insert(node.target());
    }
    for (const std::string& path : nested) {
        ModuleEditor editor(module);
        Module* holder = editor.writable(path);
        auto inner = std::make_shared<GraphModule>(*holder->graphModule);
        eliminateDeadCode(*inner);
        holder->graphModule = std::move(inner);
    }
    return erased;
}

} // namespace fx

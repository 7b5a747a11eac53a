// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/dead_code.h"

#include "core/module/lost_writes.h"
#include "core/module/module_editor.h"
#include "core/module/purity.h"

#include <set>

namespace fx {
namespace {

/// `run`: null when no one watches.
std::size_t sweep(Graph& graph, const Module& root, const PassRun* run) {
    std::size_t erased = 0;
    const auto erase = [&](NodeId id) {
        if (!run) return graph.erase(id), true;
        return run->rewrite(id, [&] { graph.erase(id); });
    };
    for (NodeId id = graph.last(); id != kNoNode;) {
        const NodeId before = graph.prev(id);
        const Node& node = graph.node(id);
        if (node.users().empty() && !isImpure(root, node)) erased += erase(id);
        id = before;
    }
    return erased;
}

void sweepNested(GraphModule& module, Warnings* warnings) {
    std::set<std::string> nested;
    PathResolver paths(*module.root);
    for (const Node& node : module.graph.nodes()) {
        if (node.op() != Op::GetAttr) continue;
        const auto target = paths.resolve(node.target());
        if (target.kind == PathTarget::Kind::Module && target.module->graphModule) nested.insert(node.target());
    }
    for (const std::string& path : nested) {
        ModuleEditor editor(module);
        Module* holder = editor.writable(path);
        auto inner = std::make_shared<GraphModule>(*holder->graphModule);
        eliminateDeadCode(*inner, warnings);
        holder->graphModule = std::move(inner);
    }
}

/// `run`: null when no one watches; `warnings`: null when no one reads them.
std::size_t eliminate(GraphModule& module, const PassRun* run, Warnings* warnings) {
    const GraphModule before = warnings ? module : GraphModule(); // shares what does not change
    const std::size_t erased = sweep(module.graph, *module.root, run);
    if (warnings && erased > 0) warnOfLostWrites(before, module, *warnings);
    sweepNested(module, warnings);
    return erased;
}

bool runDeadCode(const PassRun& run) { return eliminate(run.model, &run, &run.warnings) > 0; }

} // namespace

std::size_t eliminateDeadCode(GraphModule& module, Warnings* warnings) { return eliminate(module, nullptr, warnings); }

Pass deadCodePass() {
    return {"dead_code", "erases nodes that nothing uses and that have no effect", {}, runDeadCode, {}};
}

} // namespace fx

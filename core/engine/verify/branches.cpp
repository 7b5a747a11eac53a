// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/branches.h"

#include "core/engine/modules/script_block.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/layer.h"
#include "core/ir/print.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <map>

namespace fx::engine {
namespace {

/// What a call of a node decides, in words that are the same for what does the same; empty: nothing.
std::string decidingText(const Node& node, const GraphModule& model) {
    if (const Module* module = calledModule(node, model)) {
        const auto text = [&](const char* name) {
            const auto* found = module->setting<std::string>(name);
            return found ? *found : std::string();
        };
        if (script::isScriptBlock(*module)) return text("graph");
        return script::isScriptFile(*module) ? scriptContent(*module) : std::string();
    }
    if (!node.target().starts_with("torch.ops.higher_order.")) return {};
    std::string text = node.target();
    for (const NodeId id : node.inputs()) {
        const Node& input = model.graph.node(id);
        if (input.op() != Op::GetAttr) continue;
        for (const auto& [name, graph] : model.subgraphs)
            if (name == input.target()) text += '\n' + graphText(graph->graph);
        const Module* module = resolvePath(*model.root, input.target()).module;
        if (module && module->graphModule) text += '\n' + graphText(module->graphModule->graph);
    }
    return text;
}

/// A node of the graph itself, and whether what it, or a graph that it calls, decides is one-sided.
struct DecidingNode {
    std::string name;
    bool oneSided = false;
};
/// By text.
std::multimap<std::string, DecidingNode> decidingNodes(const VerifySide& side, const ChangedPart& part, bool inB,
                                                       const BranchWatch& watch) {
    std::multimap<std::string, DecidingNode> out;
    for (const Node& node : side.model->graph.nodes()) {
        if (!node.isCall() || !part.isChanged(inB, node.id())) continue;
        std::vector<NodeId> nodes = {node.id()}; // with the graphs that it is given
        for (const NodeId id : node.inputs())
            if (side.model->graph.node(id).op() == Op::GetAttr) nodes.push_back(id);
        forEachCall(*side.model, nodes, [&](const Node& call, const GraphModule& model) {
            std::string text = decidingText(call, model);
            const Module* module = calledModule(call, model);
            const void* const key = module ? static_cast<const void*>(module) : &call;
            if (!text.empty()) out.emplace(std::move(text), DecidingNode{side.nameOf(node), watch.isOneSided(key)});
        });
    }
    return out;
}

} // namespace

std::vector<std::string> oneSidedNodes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                       const BranchWatch& watch) {
    auto ofA = decidingNodes(a, part, false, watch), ofB = decidingNodes(b, part, true, watch);
    dropCommon(ofA, ofB);
    std::vector<std::string> names;
    for (const auto* nodes : {&ofA, &ofB})
        for (const auto& [text, node] : *nodes)
            if (node.oneSided && std::find(names.begin(), names.end(), node.name) == names.end())
                names.push_back(node.name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace fx::engine

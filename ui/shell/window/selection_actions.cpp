// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/selection_actions.h"

#include "core/module/subgraphs.h"
#include "core/torchscript/block_graph.h"
#include "core/torchscript/torchscript.h"

namespace ui {

namespace {

/// The graph of a whole TorchScript file that a module calls, if that is the file of the model.
std::shared_ptr<const fx::GraphModule> insideOf(const fx::GraphModule& model, const fx::Module& module) {
    const auto* origin = dynamic_cast<const fx::script::ScriptOrigin*>(model.origin.get());
    const auto* method = module.setting<std::string>("method");
    return origin && fx::script::isScriptFile(module) && (!method || *method == fx::script::methodOf(model))
               ? origin->inside
               : nullptr;
}

/// Null graph unless the target of the node is a graph.
NestedGraph graphOf(const fx::GraphModule& module, const fx::Node& node) {
    if (node.op() != fx::Op::GetAttr && node.op() != fx::Op::CallModule) return {};
    for (const auto& [name, graph] : module.subgraphs)
        if (name == node.target()) return {node.id(), graph};
    const fx::PathTarget target = fx::resolvePath(*module.root, node.target());
    if (!target.module) return {};
    if (target.module->graphModule) return {node.id(), target.module->graphModule};
    if (auto inside = insideOf(module, *target.module)) return {node.id(), std::move(inside), true};
    return {node.id(), fx::script::blockGraph(*target.module), true};
}

/// Whether `graphOf` gives one, without making it.
bool hasGraph(const fx::GraphModule& module, const fx::Node& node) {
    if (node.op() != fx::Op::GetAttr && node.op() != fx::Op::CallModule) return false;
    const fx::PathTarget target = fx::resolvePath(*module.root, node.target());
    return fx::hasSubgraph(module, node.target()) ||
           (target.module && (target.module->graphModule || fx::script::isScriptBlock(*target.module) ||
                              insideOf(module, *target.module)));
}

} // namespace

std::vector<std::string> tensorPathsOf(const fx::GraphModule& model, const fx::Node& node) {
    if (node.op() == fx::Op::GetAttr) return {node.target()};
    std::vector<std::string> paths;
    if (node.op() != fx::Op::CallModule) return paths;
    const fx::PathTarget target = fx::resolvePath(*model.root, node.target());
    if (!target.module) return paths;
    for (const auto* slots : {&target.module->parameters, &target.module->buffers})
        for (const fx::Module::Slot& slot : *slots)
            if (slot.tensor) paths.push_back(node.target() + "." + slot.name);
    return paths;
}

Needs needsMetBy(Document* document) {
    Needs there;
    if (!document) return there;
    there |= Need::Tab;
    there.setFlag(Need::TakesWeights, document->source() || document->state() == Document::State::Ready);
    if (document->state() != Document::State::Ready) return there;
    const std::size_t selected = document->selection().nodes().size();
    const fx::Op op =
        selected == 1 ? document->module()->graph.node(document->selection().nodes().front()).op() : fx::Op::Output;
    const bool calls = op == fx::Op::CallModule || op == fx::Op::CallFunction || op == fx::Op::CallMethod;
    const fx::History* history = document->versions().history();
    there |= Need::File;
    there.setFlag(Need::Picture, document->picture().scene() != nullptr);
    there.setFlag(Need::Code, document->facts().code() != nullptr);
    there.setFlag(Need::Selection, selected > 0);
    there.setFlag(Need::OneSelected, selected == 1);
    there.setFlag(Need::Tensors,
                  selected == 1 && !tensorPathsOf(*document->module(),
                                                  document->module()->graph.node(document->selection().nodes().front()))
                                        .empty());
    there.setFlag(Need::OneModule, op == fx::Op::CallModule);
    there.setFlag(Need::OneCall, calls);
    there.setFlag(Need::OneNode, hasNestedGraphs(*document));
    there.setFlag(Need::Hidden, !document->picture().options().hidden.empty());
    there.setFlag(Need::Undo, history && history->canUndo());
    there.setFlag(Need::Redo, history && history->canRedo());
    return there;
}

void selectNeighbours(Document& document, bool inputs) {
    const fx::Graph& graph = document.module()->graph;
    std::vector<fx::NodeId> nodes = document.selection().nodes();
    std::vector<char> taken(graph.idLimit(), 0);
    for (const fx::NodeId node : nodes) taken[fx::index(node)] = 1;
    const auto take = [&](fx::NodeId node) {
        if (!std::exchange(taken[fx::index(node)], 1)) nodes.push_back(node);
    };
    for (const fx::NodeId node : document.selection().nodes()) {
        if (inputs)
            for (const fx::NodeId input : graph.node(node).inputs()) take(input);
        else
            for (const fx::NodeId user : graph.node(node).users()) take(user);
    }
    document.selection().select(std::move(nodes), nullptr);
}

bool hasNestedGraphs(const Document& document) {
    if (document.state() != Document::State::Ready || document.selection().nodes().size() != 1) return false;
    const fx::GraphModule& module = *document.module();
    const fx::Node& selected = module.graph.node(document.selection().nodes().front());
    const auto& inputs = selected.inputs();
    return hasGraph(module, selected) ||
           (selected.isCall() && std::any_of(inputs.begin(), inputs.end(), [&](fx::NodeId input) {
                const fx::Node& node = module.graph.node(input);
                return node.op() == fx::Op::GetAttr && hasGraph(module, node);
            }));
}

std::vector<NestedGraph> nestedGraphs(const Document& document) {
    std::vector<NestedGraph> found;
    if (document.state() != Document::State::Ready || document.selection().nodes().size() != 1) return found;
    const fx::GraphModule& module = *document.module();
    const fx::Node& selected = module.graph.node(document.selection().nodes().front());
    if (NestedGraph own = graphOf(module, selected); own.graph) return {std::move(own)};
    if (!selected.isCall()) return found;
    for (const fx::NodeId input : selected.inputs()) {
        const fx::Node& node = module.graph.node(input);
        if (node.op() != fx::Op::GetAttr) continue;
        if (NestedGraph nested = graphOf(module, node); nested.graph) found.push_back(std::move(nested));
    }
    return found;
}

} // namespace ui

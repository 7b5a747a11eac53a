// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/constants.h"

#include "core/module/copy_modules.h"
#include "core/module/exported_signature.h"
#include "core/module/purity.h"
#include "core/passes/graph_tensors.h"
#include "core/passes/module_uses.h"
#include "core/passes/value_facts.h"

#include <algorithm>

namespace fx {
namespace {

/// torch.fx `_subgraph_has_impure_ops`, without its recursion.
bool hasImpureCalls(const Module& module) {
    std::vector<const Module*> open{&module};
    while (!open.empty()) {
        const auto nested = open.back()->graphModule;
        open.pop_back();
        if (!nested) continue;
        for (const Node& node : nested->graph.nodes()) {
            if (node.op() == Op::CallFunction && isImpure(*nested->root, node)) return true;
            if (node.op() != Op::CallModule) continue;
            if (const Module* called = resolvePath(*nested->root, node.target()).module) open.push_back(called);
        }
    }
    return false;
}

/// The inputs of an exported program that are tensors which it does not write to, with their paths.
std::unordered_map<NodeId, std::string> liftedConstants(const GraphModule& model) {
    std::set<std::string> written;
    if (const auto signature = ExportedSignature::of(model))
        for (const auto& output : signature->outputs) written.insert(output.target);
    std::unordered_map<NodeId, std::string> out;
    const auto facts = model.lifted.empty() ? std::nullopt : std::optional<ValueFacts>(model);
    for (const LiftedInput& input : model.lifted) {
        if (facts->isWritten(input.node)) continue;
        const bool isTensor = input.kind == LiftedInput::Kind::Parameter || input.kind == LiftedInput::Kind::Buffer ||
                              input.kind == LiftedInput::Kind::Constant;
        if (isTensor && !input.path.empty() && !written.contains(input.path)) out.emplace(input.node, input.path);
    }
    return out;
}

bool isTensorWithGradient(const PathTarget& target) { return target.tensor && target.tensor->requiresGrad; }

bool hasGradient(const Module& module) {
    bool found = false;
    forEachModule(module, [&](const std::string&, const Module& each) {
        for (const auto& slot : each.parameters) found = found || (slot.tensor && slot.tensor->requiresGrad);
    });
    return found;
}

} // namespace

ConstantPart::ConstantPart(const GraphModule& model, const std::vector<std::string>& skipped)
    : m_isConstant(model.graph.idLimit()), m_isTensor(model.graph.idLimit()), m_lifted(liftedConstants(model)) {
    findNodes(model, {skipped.begin(), skipped.end()});
    findResults(model.graph);
}

void ConstantPart::findNodes(const GraphModule& model, const std::set<std::string>& skipped) {
    PathResolver paths(*model.root);
    for (const Node& node : model.graph.nodes()) {
        const bool isTensor = node.op() == Op::GetAttr || m_lifted.contains(node.id());
        if (node.op() == Op::Output || (node.op() == Op::Placeholder && !isTensor)) continue;
        if (!isTensor && !std::all_of(node.inputs().begin(), node.inputs().end(),
                                      [this](NodeId input) { return isConstant(input); }))
            continue;
        if (skipped.contains(node.name()) || (!isTensor && isImpure(*model.root, node))) continue;
        if (node.op() == Op::CallModule) {
            const Module* module = paths.resolve(node.target()).module;
            if (!module || hasImpureCalls(*module)) continue;
        }
        m_isConstant[index(node.id())] = true;
        m_isTensor[index(node.id())] = isTensor;
        m_nodes.push_back(node.id());
        m_hasWork = m_hasWork || !isTensor;
    }
}

void ConstantPart::findResults(const Graph& graph) {
    std::vector<bool> isResult(graph.idLimit());
    for (const Node& node : graph.nodes()) {
        if (isConstant(node.id())) continue;
        for (const NodeId input : node.inputs()) {
            if (!isConstant(input) || m_isTensor[index(input)] || isResult[index(input)]) continue;
            isResult[index(input)] = true;
            m_results.push_back(input);
        }
    }
}

GraphModule ConstantPart::extracted(const GraphModule& model, const std::vector<NodeId>& results, bool asTuple) const {
    const Graph& graph = model.graph;
    std::vector<bool> needed(graph.idLimit());
    for (const NodeId id : results) needed[index(id)] = true;
    for (auto each = m_nodes.rbegin(); each != m_nodes.rend(); ++each)
        if (needed[index(*each)])
            for (const NodeId input : graph.node(*each).inputs()) needed[index(input)] = true;
    GraphModule out;
    std::vector<NodeId> copies(graph.idLimit(), kNoNode);
    const auto copied = [&](NodeId id) { return Argument(copies[index(id)]); };
    for (const bool tensors : {true, false}) // torch.fx makes inputs of the tensors first
        for (const NodeId id : m_nodes) {
            const Node& node = graph.node(id);
            if (!needed[index(id)] || m_isTensor[index(id)] != tensors) continue;
            const auto lifted = m_lifted.find(id);
            NodeId& copy = copies[index(id)];
            copy = tensors
                       ? out.graph.createNode(Op::GetAttr, lifted == m_lifted.end() ? node.target() : lifted->second,
                                              {}, {}, node.name())
                       : out.graph.createCopy(node, copied, node.name());
            out.graph.setMeta(copy, std::make_shared<const NodeMeta>(node.meta()));
        }
    std::vector<Argument> values;
    for (const NodeId id : results) values.push_back(copied(id));
    out.graph.output(values.size() == 1 && !asTuple ? values[0] : Argument::tuple(values));
    out.subgraphs = model.subgraphs;
    copyModules(model, out);
    return out;
}

std::vector<bool> gradientNodes(const GraphModule& model) {
    std::vector<bool> gradient(model.graph.idLimit());
    PathResolver paths(*model.root);
    std::unordered_map<NodeId, std::string> lifted = liftedConstants(model);
    for (const Node& node : model.graph.nodes()) {
        bool has = std::any_of(node.inputs().begin(), node.inputs().end(),
                               [&](NodeId input) { return gradient[index(input)]; });
        const auto input = lifted.find(node.id());
        if (input != lifted.end()) has = isTensorWithGradient(paths.resolve(input->second));
        else if (node.op() == Op::GetAttr) has = isTensorWithGradient(paths.resolve(node.target()));
        else if (node.op() == Op::CallModule && !has)
            if (const Module* module = paths.resolve(node.target()).module) has = hasGradient(*module);
        const std::string& target = node.target();
        gradient[index(node.id())] = has && !target.ends_with("detach") && !target.ends_with("detach.default");
    }
    return gradient;
}

void eraseConstants(const PassRun& run, const std::vector<NodeId>& nodes) {
    Graph& graph = run.graph();
    std::set<NodeId> tensors;
    std::set<std::string> modules;
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
        const Node& node = graph.node(*id);
        if (node.op() == Op::GetAttr || node.op() == Op::Placeholder) {
            tensors.insert(*id);
        } else if (node.users().empty()) {
            if (node.op() == Op::CallModule) modules.insert(node.target());
            graph.erase(*id);
        }
    }
    eraseUnusedTensors(run.model, tensors);
    removeUnusedModules(run.model, modules);
}

} // namespace fx

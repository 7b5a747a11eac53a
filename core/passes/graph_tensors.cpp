// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/graph_tensors.h"

#include "core/base/joined_path.h"
#include "core/passes/module_uses.h"

#include <algorithm>

namespace fx {
namespace {

bool standsForTensor(const LiftedInput& input) {
    return !input.path.empty() &&
           (input.kind == LiftedInput::Kind::Parameter || input.kind == LiftedInput::Kind::Buffer ||
            input.kind == LiftedInput::Kind::Constant);
}

void removeTensor(Module& holder, const std::string& name) {
    const auto is = [&](const Module::Slot& slot) { return slot.name == name; };
    std::erase_if(holder.parameters, is);
    std::erase_if(holder.buffers, is);
    std::erase_if(holder.attributes, [&](const auto& attribute) {
        return attribute.first == name && std::holds_alternative<TensorPtr>(attribute.second);
    });
}

} // namespace

GraphTensors::GraphTensors(const GraphModule& model) {
    PathResolver paths(*model.root);
    const auto add = [&](NodeId id, const std::string& path) {
        if (TensorPtr tensor = paths.resolve(path).tensor) m_nodes.emplace(id, Named{path, std::move(tensor)});
    };
    for (const Node& node : model.graph.nodes())
        if (node.op() == Op::GetAttr) add(node.id(), node.target());
    for (const LiftedInput& input : model.lifted)
        if (standsForTensor(input) && !model.graph.node(input.node).erased()) add(input.node, input.path);
}

const std::string* GraphTensors::path(NodeId node) const {
    const auto found = m_nodes.find(node);
    return found == m_nodes.end() ? nullptr : &found->second.path;
}

TensorPtr GraphTensors::tensor(NodeId node) const {
    const auto found = m_nodes.find(node);
    return found == m_nodes.end() ? nullptr : found->second.tensor;
}

void setParameter(Module& module, const std::string& name, TensorPtr tensor) {
    for (auto& slot : module.parameters)
        if (slot.name == name) return void(slot.tensor = std::move(tensor));
    std::erase_if(module.buffers, [&](const auto& slot) { return slot.name == name; });
    std::erase_if(module.attributes, [&](const auto& attribute) { return attribute.first == name; });
    module.parameters.push_back({name, std::move(tensor)});
}

void setTensor(ModuleEditor& editor, std::string_view path, TensorPtr tensor) {
    Module* holder = editor.writable(parentPath(path));
    const std::string_view name = lastAtom(path);
    if (!holder) return;
    for (auto* slots : {&holder->parameters, &holder->buffers})
        for (auto& slot : *slots)
            if (slot.name == name) slot.tensor = tensor;
    for (auto& [key, value] : holder->attributes)
        if (key == name && std::holds_alternative<TensorPtr>(value)) value = tensor;
}

std::string addTensor(GraphModule& model, ModuleEditor& editor, std::string path, TensorPtr tensor) {
    const std::string base = path;
    for (int i = 1; resolvePath(*model.root, path).kind != PathTarget::Kind::Missing; ++i)
        path = base + "_" + std::to_string(i);
    Module* holder = editor.writable(parentPath(path));
    auto& slots = tensor->isParameter ? holder->parameters : holder->buffers;
    slots.push_back({std::string(lastAtom(path)), std::move(tensor)});
    return path;
}

void eraseUnusedTensors(GraphModule& model, const std::set<NodeId>& nodes) {
    if (nodes.empty()) return;
    std::set<std::string> paths, holders;
    std::unordered_map<NodeId, std::string> lifted;
    for (const LiftedInput& input : model.lifted)
        if (standsForTensor(input)) lifted.emplace(input.node, input.path);
    for (const NodeId id : nodes) {
        const Node& node = model.graph.node(id);
        const auto input = lifted.find(id);
        if (node.erased() || !node.users().empty() || (node.op() != Op::GetAttr && input == lifted.end())) continue;
        paths.insert(input == lifted.end() ? node.target() : input->second);
        model.graph.erase(id);
    }
    const ModuleUses uses(model);
    {
        ModuleEditor editor(model);
        for (const std::string& path : paths) {
            const std::string above(parentPath(path));
            Module* holder = uses.isUsed(path) ? nullptr : editor.writable(above);
            if (!holder) continue;
            removeTensor(*holder, std::string(lastAtom(path)));
            if (!above.empty()) holders.insert(above);
        }
    }
    removeUnusedModules(model, holders);
}

} // namespace fx

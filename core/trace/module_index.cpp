// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/module_index.h"

namespace fx::trace {

ModuleIndex::ModuleIndex(Module& root) : m_root(root) {
    forEachModule(root, [&](const std::string& path, const Module& module) {
        m_modules.emplace(&module, path);
        const std::string prefix = path.empty() ? "" : path + ".";
        for (const auto& slot : module.parameters)
            if (slot.tensor) m_parameters.emplace(slot.tensor.get(), prefix + slot.name);
        for (const auto& slot : module.buffers)
            if (slot.tensor) m_buffers.emplace(slot.tensor.get(), prefix + slot.name);
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor)
                m_attributes[tensor->get()] = prefix + name; // the last one counts, as in torch.fx's dict
    });
}

const ModuleIndex::Members& ModuleIndex::membersOf(const Module& module) {
    const auto known = m_members.find(&module);
    if (known != m_members.end()) return known->second;
    Members members;
    members.reserve(module.attributes.size() + module.parameters.size() + module.buffers.size() + module.children.size() + 1);
    // Python looks into the instance's own dictionary first, then into parameters, buffers and modules.
    for (const auto& [name, value] : module.attributes) {
        if (const auto* tensor = std::get_if<TensorPtr>(&value))
            members.emplace(name, Value{TensorValue{*tensor}});
        else
            members.emplace(name, fromArgument(std::get<Argument>(value)));
    }
    members.emplace("training", Value{Argument(module.training)});
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const auto& slot : *slots) members.emplace(slot.name, slot.tensor ? Value{TensorValue{slot.tensor}} : none());
    for (const auto& child : module.children)
        members.emplace(child.name, child.module ? Value{ModuleValue{child.module.get()}} : none());
    return m_members.emplace(&module, std::move(members)).first->second;
}

std::optional<Value> ModuleIndex::member(const Module& module, std::string_view name) {
    const Members& members = membersOf(module);
    const auto found = members.find(name);
    return found == members.end() ? std::nullopt : std::optional(found->second);
}

std::string ModuleIndex::addConstant(const TensorPtr& tensor) {
    std::string name;
    do {
        name = "_tensor_constant" + std::to_string(m_nextConstant++);
    } while (member(m_root, name));
    m_root.buffers.push_back({name, tensor, true}); // torch.fx turns referenced plain tensors into buffers
    m_attributes.emplace(tensor.get(), name);
    return name;
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/module_index.h"

#include "core/base/joined_path.h"

namespace fx::trace {

ModuleIndex::ModuleIndex(Module& root) : m_root(root) {
    forEachModule(root, [&](const std::string& path, const Module& module) {
        m_modules.emplace(&module, path);
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor)
                m_attributes[tensor->get()] = joinedPath(path, name); // the last one counts, as in torch.fx's dict
    });
    readTensors();
}

void ModuleIndex::readTensors() {
    m_parameters.clear(), m_buffers.clear(), m_members.clear();
    forEachModule(m_root, [&](const std::string& path, const Module& module) {
        for (const auto& slot : module.parameters)
            if (slot.tensor) m_parameters.emplace(slot.tensor.get(), joinedPath(path, slot.name));
        for (const auto& slot : module.buffers)
            if (slot.tensor) m_buffers.emplace(slot.tensor.get(), joinedPath(path, slot.name));
    });
}

namespace {
/// Calls `visit(name, value)` for each member until it says true; `value` makes the Value. In the order in which Python
/// looks: the instance's own dictionary, then parameters, buffers and modules.
template<class Visit> void visitMembers(const Module& module, Visit visit) {
    for (const auto& attribute : module.attributes) {
        const auto make = [&] {
            const auto* tensor = std::get_if<TensorPtr>(&attribute.second);
            return tensor ? Value{TensorValue{*tensor}} : fromArgument(std::get<Argument>(attribute.second));
        };
        if (visit(attribute.first, make)) return;
    }
    if (visit(std::string_view("training"), [&] { return Value{Argument(module.training)}; })) return;
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const auto& slot : *slots)
            if (visit(slot.name, [&] { return slot.tensor ? Value{TensorValue{slot.tensor}} : none(); })) return;
    for (const auto& child : module.children)
        if (visit(child.name, [&] { return child.module ? Value{ModuleValue{child.module.get()}} : none(); })) return;
}
constexpr std::size_t kFewMembers = 24; ///< up to here looking through them all is quicker than a table
} // namespace

const ModuleIndex::Members& ModuleIndex::membersOf(const Module& module) {
    const auto known = m_members.find(&module);
    if (known != m_members.end()) return known->second;
    Members members;
    visitMembers(module, [&](std::string_view name, const auto& make) {
        members.emplace(name, make());
        return false;
    });
    return m_members.emplace(&module, std::move(members)).first->second;
}

std::optional<Value> ModuleIndex::member(const Module& module, std::string_view name) {
    std::optional<Value> out;
    if (module.attributes.size() + module.parameters.size() + module.buffers.size() + module.children.size() <=
        kFewMembers) {
        visitMembers(module, [&](std::string_view each, const auto& make) {
            if (each == name) out = make();
            return out.has_value();
        });
        return out;
    }
    const Members& members = membersOf(module);
    const auto found = members.find(name);
    return found == members.end() ? std::nullopt : std::optional(found->second);
}

std::string ModuleIndex::addConstant(const TensorPtr& tensor) {
    std::string name;
    do { name = "_tensor_constant" + std::to_string(m_nextConstant++); } while (member(m_root, name));
    m_root.buffers.push_back({name, tensor, true}); // torch.fx turns referenced plain tensors into buffers
    m_attributes.emplace(tensor.get(), name);
    return name;
}

} // namespace fx::trace

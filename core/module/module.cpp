// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module.h"

#include "core/module/graph_module.h"

#include <algorithm>
#include <unordered_set>

namespace fx {

namespace {

template<class Entries>
auto findNamed(const Entries& entries, std::string_view name) {
    return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
}

} // namespace

const Module* Module::child(std::string_view name) const {
    const auto found = findNamed(children, name);
    return found == children.end() ? nullptr : found->module.get();
}

const Module::Slot* Module::parameter(std::string_view name) const {
    const auto found = findNamed(parameters, name);
    return found == parameters.end() ? nullptr : &*found;
}

const Module::Slot* Module::buffer(std::string_view name) const {
    const auto found = findNamed(buffers, name);
    return found == buffers.end() ? nullptr : &*found;
}

const std::variant<Argument, TensorPtr>* Module::attribute(std::string_view name) const {
    for (const auto& [key, value] : attributes)
        if (key == name) return &value;
    return nullptr;
}

namespace {

/// What `getattr(module, name)` gives, in Python's order: instance attributes, parameters, buffers, children.
PathTarget member(const Module& module, std::string_view name) {
    using Kind = PathTarget::Kind;
    static const Argument none;
    PathTarget target;
    if (const auto* value = module.attribute(name)) {
        const auto* tensor = std::get_if<TensorPtr>(value);
        target.kind = tensor ? Kind::Tensor : Kind::Attribute;
        if (tensor) target.tensor = *tensor;
        else target.value = &std::get<Argument>(*value);
    } else if (const auto* parameter = module.parameter(name)) {
        target.kind = Kind::Parameter;
        target.tensor = parameter->tensor;
    } else if (const auto* buffer = module.buffer(name)) {
        target.kind = Kind::Buffer;
        target.tensor = buffer->tensor;
    } else if (const auto child = findNamed(module.children, name); child != module.children.end()) {
        target.kind = child->module ? Kind::Module : Kind::Attribute;
        target.module = child->module.get();
        if (!child->module) target.value = &none;
    }
    return target;
}

} // namespace

PathTarget resolvePath(const Module& root, std::string_view path) {
    PathTarget target;
    target.kind = PathTarget::Kind::Module;
    target.module = target.holder = &root;
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        const std::string_view atom = path.substr(0, dot);
        const Module* holder = target.module;
        if (holder) {
            target = member(*holder, atom);
            target.holder = holder;
        } else {
            target.kind = PathTarget::Kind::Missing; // an attribute of something that is no module
        }
        if (target.kind == PathTarget::Kind::Missing) {
            PathTarget missing;
            missing.missingAt = std::string(atom);
            missing.holder = target.holder;
            return missing;
        }
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    if (target.module) target.holder = target.module;
    return target;
}

void forEachModule(const Module& root, const std::function<void(const std::string& path, const Module&)>& visit) {
    std::unordered_set<const Module*> seen;
    struct Entry {
        std::string path;
        const Module* module;
    };
    std::vector<Entry> stack{{"", &root}};
    while (!stack.empty()) {
        const Entry entry = std::move(stack.back());
        stack.pop_back();
        if (!seen.insert(entry.module).second) continue;
        visit(entry.path, *entry.module);
        const auto& children = entry.module->children;
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            if (child->module) stack.push_back({entry.path.empty() ? child->name : entry.path + "." + child->name, child->module.get()});
    }
}

ModuleTotals totals(const Module& root) {
    ModuleTotals result;
    std::unordered_set<const TensorRef*> seen;
    const auto count = [&](const std::vector<Module::Slot>& slots, TensorTotals& into) {
        for (const Module::Slot& slot : slots) {
            if (!slot.tensor || !seen.insert(slot.tensor.get()).second) continue;
            into.tensors += 1;
            into.elements += slot.tensor->elementCount();
            into.bytes += slot.tensor->byteCount();
        }
    };
    forEachModule(root, [&](const std::string&, const Module& module) {
        result.modules += &module != &root;
        count(module.parameters, result.parameters);
        count(module.buffers, result.buffers);
    });
    return result;
}

std::string_view formatName(Format format) {
    switch (format) {
    case Format::GraphModule: return "graphmodule";
    case Format::Folder: return "folder";
    case Format::Pt2: return "pt2";
    case Format::TorchScript: return "torchscript";
    case Format::Python: return "python";
    case Format::Ir: return "ir";
    case Format::Lancet: return "lancet";
    }
    return "unknown";
}

} // namespace fx

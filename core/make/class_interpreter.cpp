// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/class_interpreter.h"

#include "core/ops/nn_modules.h"
#include "core/trace/callables.h"

namespace fx::trace {

std::string_view torchClass(const Value& type) {
    const auto* function = type.as<FunctionValue>();
    const auto known = function ? ops::findModule(function->path) : std::nullopt;
    return known ? known->path() : std::string_view();
}

std::string_view containerName(std::string_view path) {
    for (const std::string_view name : {"Sequential", "ModuleList", "ModuleDict"})
        if (path == "torch.nn.modules.container." + std::string(name)) return name;
    return {};
}

// ── what was made ────────────────────────────────────────────────────────────────────────────────────────────────

BuiltModules::Made& BuiltModules::add(std::shared_ptr<Module> module, Value type) {
    const Module* key = module.get();
    return m_made.emplace(key, Made{std::move(module), std::move(type), {}}).first->second;
}

const Value* BuiltModules::value(const Module& module, std::string_view name) const {
    const auto found = m_made.find(&module);
    if (found == m_made.end()) return nullptr;
    for (const auto& [key, value] : found->second.values)
        if (key == name) return &value;
    return nullptr;
}

const SourceClass* BuiltModules::classOf(const Module& module) const {
    const auto found = m_made.find(&module);
    return found == m_made.end() ? nullptr : found->second.type.as<SourceClass>();
}

const SourceFunction* BuiltModules::method(const Module& module, std::string_view name) const {
    const SourceClass* type = classOf(module);
    const Value* member = type ? type->find(name) : nullptr;
    return member ? member->as<SourceFunction>() : nullptr;
}

std::optional<Value> BuiltModules::member(const Module& module, std::string_view name, const Value& self) const {
    const SourceClass* type = classOf(module);
    const Value* member = type ? type->find(name) : nullptr;
    if (!member) return std::nullopt;
    const auto* function = member->as<SourceFunction>();
    if (!function || function->isStatic) return *member;
    SourceFunction bound = *function;
    bound.self = std::make_shared<const Value>(self);
    return box(std::move(bound));
}

std::string_view BuiltModules::container(const Module& module) const {
    const SourceClass* type = classOf(module);
    while (type && type->base.as<SourceClass>()) type = type->base.as<SourceClass>();
    return containerName(type ? torchClass(type->base) : std::string_view(module.qualifiedType()));
}

// ── classes ──────────────────────────────────────────────────────────────────────────────────────────────────────

ClassInterpreter::ClassInterpreter(Tracer& tracer, const py::SourceTree& tree) : FunctionInterpreter(tracer, tree) {
    m_globals.insert_or_assign(
        "super", box(FunctionValue{"builtins.super", resolveCallable("builtins.super"), std::nullopt, false}));
}

/// `super()`: what follows the class that has the method which runs.
Value ClassInterpreter::superValue() const {
    const auto* module = m_self.as<ModuleValue>();
    if (!module || !m_running) throw PythonError("RuntimeError: super(): no arguments");
    for (const auto& [name, value] : m_globals)
        if (const auto* type = value.as<SourceClass>())
            for (const auto& [member, function] : type->members)
                if (const auto* method = function.as<SourceFunction>(); method && method->head == m_running->head)
                    return box(SuperValue{m_self, type->base});
    throw CannotFollow(Message("make.unsupported_super"));
}

Value ClassInterpreter::attributeOf(const Value& object, std::string_view name) {
    const auto* above = object.as<SuperValue>();
    if (!above) return FunctionInterpreter::attributeOf(object, name);
    const auto* type = above->base.as<SourceClass>();
    const Value* member = type ? type->find(name) : nullptr;
    const auto* function = member ? member->as<SourceFunction>() : nullptr;
    if (!function) return member ? *member : box(BoundMethod{object, std::string(name)});
    SourceFunction bound = *function;
    bound.self = std::make_shared<const Value>(above->self);
    return box(std::move(bound));
}

Value ClassInterpreter::callValue(const Value& callee, Values args, KeywordValues kwargs) {
    const auto* function = callee.as<FunctionValue>();
    if (function && function->path == "builtins.super") return superValue();
    if (function && function->path == "builtins.len" && args.size() == 1 && args[0].as<ModuleValue>())
        return {Argument(static_cast<std::int64_t>(iterate(args[0]).size()))};
    if (const auto* method = callee.as<BoundMethod>(); method && method->self.as<ModuleValue>() && args.empty()) {
        if (method->name == "children" || method->name == "values") return tupleOf(iterate(method->self));
    }
    return FunctionInterpreter::callValue(callee, std::move(args), std::move(kwargs));
}

Values ClassInterpreter::iterate(const Value& value) {
    const auto* module = value.as<ModuleValue>();
    if (!module) return FunctionInterpreter::iterate(value);
    Values children;
    for (const auto& child : module->module->children)
        children.push_back(child.module ? Value{ModuleValue{child.module.get()}} : none());
    return children;
}

} // namespace fx::trace

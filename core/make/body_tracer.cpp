// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/body_tracer.h"

#include "core/ops/nn_modules.h"

#include <algorithm>

namespace fx::trace {
namespace {

/// The class of torch.nn of which the value is a new module; nullopt for other values.
std::optional<ops::NnModule> newModuleClass(const Value& value) {
    const auto* made = value.as<Construction>();
    return made ? ops::findModule(made->type->qualifiedName) : std::nullopt;
}

} // namespace

void requireNotModuleClass(const Value& callee, const Values& args, const KeywordValues& kwargs) {
    const std::string_view type = torchClass(callee);
    if (!type.empty() && anyProxy(args, kwargs))
        throw CannotFollow(Message("call.module_class", {{"name", ops::findModule(type)->publicPath()}}));
}

void requireInPyTorch(const Value& callee, const ops::KnownFunction& isKnown) {
    const auto* function = callee.as<FunctionValue>();
    if (!function || !ops::isMissingFromPyTorch(*function->callable)) return;
    const std::string& name = function->callable->qualifiedName;
    if (!isKnown || !isKnown(name))
        throw CannotFollow(Message("call.unknown_function", {{"name", name}, {"near", ops::nearestFunction(name)}}));
}

ops::ClassOfModule classesBelow(const Module& root) {
    return [&root](const std::string& path) {
        const Module* module = resolvePath(root, path).module;
        return module ? module->qualifiedType() : std::string();
    };
}

Value BodyTracer::callValue(const Value& callee, Values args, KeywordValues kwargs) {
    if (newModuleClass(callee)) {
        Value result = m_tracer.recordModule(pathOf(callee), args, kwargs);
        checkNewNodes();
        return result;
    }
    requireNotModuleClass(callee, args, kwargs);
    requireInPyTorch(callee, m_settings.isKnown);
    Value result = ClassInterpreter::callValue(callee, std::move(args), std::move(kwargs));
    checkNewNodes();
    return result;
}

Value BodyTracer::callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    Value result = ClassInterpreter::callMethod(name, args, kwargs);
    checkNewNodes();
    return result;
}

/// Calls of the source's own functions check what they record themselves, so each node is looked at once.
void BodyTracer::checkNewNodes() {
    const Graph& graph = m_tracer.graph();
    for (; m_checked < graph.idLimit(); ++m_checked)
        if (const auto problem = ops::callProblem(graph, graph.node(static_cast<NodeId>(m_checked)), m_settings.isKnown,
                                                  classesBelow(m_root)))
            throw CannotFollow(*problem);
}

/// A module that is called twice is one module.
const std::string& BodyTracer::pathOf(const Value& made) {
    const auto* construction = made.as<Construction>();
    if (const auto known = m_paths.find(construction); known != m_paths.end()) return known->second.second;
    NewModule module = describe(*construction);
    if (!m_settings.mayCreate) throw CannotFollow(Message("make.module_in_pattern", {{"type", module.type}}));
    TorchGenerator shapes(0, NewWeights::ShapesOnly);
    auto instance = module.make(shapes);
    const std::string name = attributeName(module.type);
    std::string path = name;
    const auto isTaken = [&](const auto& slots) {
        return std::any_of(slots.begin(), slots.end(), [&](const auto& slot) { return slot.name == path; });
    };
    for (int i = 1; isTaken(m_root.children) || isTaken(m_root.parameters) || isTaken(m_root.buffers); ++i)
        path = name + "_" + std::to_string(i);
    m_root.children.push_back({path, std::move(instance)});
    newModules.emplace_back(path, std::move(module));
    return m_paths.emplace(construction, std::pair(made, std::move(path))).first->second.second;
}

NewModule BodyTracer::describe(const Construction& made) {
    const ops::NnModule type = *ops::findModule(made.type->qualifiedName);
    NewModule module{std::string(type.publicPath()), {}, {}};
    if (module.isContainer()) {
        const auto* list = made.args.size() == 1 ? made.args[0].as<ValueSequence>() : nullptr;
        const Values& children = list ? list->items : made.args;
        for (std::size_t i = 0; i < children.size(); ++i) give(module, std::to_string(i), children[i]);
        return module;
    }
    const auto parameters = type.parameters();
    if (made.args.size() > parameters.size())
        throw CannotFollow(Message(
            "call.too_many",
            {{"function", module.type}, {"most", parameters.size()}, {"given", made.args.size()}, {"form", ""}}));
    for (std::size_t i = 0; i < made.args.size(); ++i) give(module, parameters[i].name, made.args[i]);
    for (const auto& [name, value] : made.kwargs) give(module, name, value);
    return module;
}

void BodyTracer::give(NewModule& module, std::string_view name, const Value& value) {
    if (newModuleClass(value)) {
        module.modules.push_back({std::string(name), describe(*value.as<Construction>())});
    } else if (module.isContainer()) {
        throw PythonError("TypeError: " + textOf(value) + " is not a Module subclass");
    } else if (const auto* function = value.as<FunctionValue>()) {
        module.values.emplace_back(name, CallableValue{function->callable});
    } else {
        const Argument plain = m_tracer.toArgument(value);
        const auto* dtype = plain.as<TorchConstant>();
        if (name == "dtype" && !plain.isNone() && !(dtype && dtype->name == "torch.float32"))
            throw CannotFollow(Message("make.unsupported_dtype"));
        module.values.emplace_back(name, plain);
    }
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of torch.nn modules, and torch.fx's ParameterProxy.
#include "core/pysrc/expression_names.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

namespace {
bool isHookTable(std::string_view name) {
    return name == "_forward_pre_hooks" || name == "_forward_hooks" || name == "_forward_pre_hooks_with_kwargs" ||
           name == "_forward_hooks_with_kwargs";
}

/// Hooks that run no forward: of gradients, which nothing asks for, and of state_dict() and load_state_dict().
bool isOtherHookTable(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "_backward_hooks",   "_backward_pre_hooks",  "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
        "_state_dict_hooks", "_state_dict_pre_hooks"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// A tensor of the model that a program gets from a table of a module, not by its name: `parameters()`. In a trace it
/// has the name by which expressions read it.
trace::TensorValue readable(const TensorPtr& tensor, trace::Tracer* tracer) {
    trace::TensorValue out{tensor};
    if (!tracer) return out;
    const std::string* path = tracer->modules().bufferPath(tensor.get());
    if (!path) path = tracer->modules().parameterPath(tensor.get());
    if (path) out.read = std::make_shared<const std::string>(py::readText(*path));
    return out;
}
} // namespace

Value Modules::moduleAttribute(Instance& instance, std::string_view name) {
    Module& module = *instance.module;
    if (name == "training") return {module.training};
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const auto& slot : *slots)
            if (slot.name == name)
                return slot.tensor ? tensorAttribute(instance, slot.tensor, name, slots == &module.parameters)
                                   : Value::none();
    for (const auto& child : module.children)
        if (child.name == name) return wrapModule(child.module);
    if (name == "_non_persistent_buffers_set") {
        Set* names = heap().make<Set>();
        for (const auto& slot : module.buffers)
            if (!slot.persistent) names->add(text(slot.name));
        return names;
    }
    if (isHookTable(name) || isOtherHookTable(name)) {
        Dict* table = heap().make<Dict>();
        table->isOrdered = true;
        m_hasHooks |= isHookTable(name);
        instance.attributes.set(name, table);
        return table;
    }
    if (name != "_modules" && name != "_parameters" && name != "_buffers") return {};
    Dict* all = heap().make<Dict>();
    if (name == "_modules")
        for (const auto& child : module.children) all->set(text(child.name), wrapModule(child.module));
    else
        for (const auto& slot : name == "_buffers" ? module.buffers : module.parameters)
            all->set(text(slot.name),
                     slot.tensor ? traced({readable(slot.tensor, traces() ? &tracer() : nullptr)}) : Value::none());
    all->changed = [this, &instance, kind = std::string(name)](const Value& key, const Value* value) {
        setModuleEntry(instance, kind, str(key), value);
    };
    return all;
}

/// A parameter or buffer: while a trace goes on, what the tracer makes of reading it.
Value Modules::tensorAttribute(Instance& instance, const TensorPtr& tensor, std::string_view name, bool isParameter) {
    Module& module = *instance.module;
    if (!traces() || !tracer().modules().modulePath(&module)) return traced({trace::TensorValue{tensor}});
    if (m_in.hooks && m_in.hooks->getAttribute)
        return m_in.hooks->getAttribute(instance, name, traced({trace::TensorValue{tensor}}));
    const Value read = fromTrace(tracer().attribute({trace::ModuleValue{&module}}, name));
    // torch.fx makes a ParameterProxy of it, which a buffer cannot be.
    if (m_in.shapesConstant && !isParameter && isProxy(read))
        raise("AssertionError", "Expected Parameter, got <class 'torch.Tensor'>");
    return read;
}

Value Modules::constantShape(const trace::Value& proxy, std::string_view name) {
    static constexpr std::string_view kNames[] = {"shape", "size", "dim", "ndim", "numel", "nelement"};
    const auto* node = proxy.as<trace::Proxy>();
    if (!node || std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return {};
    const Node& read = tracer().graph().node(node->node);
    if (read.op() != Op::GetAttr) return {};
    const PathTarget parameter = resolvePath(tracer().modules().root(), read.target());
    if (parameter.kind != PathTarget::Kind::Parameter || !parameter.tensor) return {};
    const Value known = traced({trace::TensorValue{parameter.tensor}});
    if (name == "shape" || name == "ndim") return findAttribute(known, name);
    return native(std::string(name), [known, name = std::string(name)](Interpreter& in, Values& args, Keywords&) {
        if (!args.empty())
            in.raise("TypeError", "ParameterProxy." + name + "() takes 1 positional argument but " +
                                      std::to_string(args.size() + 1) + " were given");
        return in.call(in.attribute(known, name), {});
    });
}

/// `torch.typename`
std::string Modules::torchTypeName(const Value& value) {
    return str(call(*run(*ownFile("torch")).names.find("typename"), {value}));
}

/// Raises TypeError where a name that is a parameter, child or buffer becomes something else.
void Modules::requireKind(const Module& module, std::string_view name, const Value& value) {
    const auto* tensor = tensorIn(value);
    const auto* instance = value.as<Instance>();
    const bool isParameter = tensor && !tensor->data && tensor->tensor->isParameter;
    if (value.isNone() || value.as<Opaque>() || isParameter) return;
    const auto refuse = [&](const std::string& kind, const char* expected) {
        raise("TypeError", "cannot assign '" + torchTypeName(value) + "' as " + kind + " '" + std::string(name) +
                               "' (" + expected + " or None expected)");
    };
    if (module.parameter(name)) refuse("parameter", "torch.nn.Parameter");
    if (instance && instance->module) return;
    if (module.childIndex(name) < module.children.size()) refuse("child module", "torch.nn.Module");
    const bool actsAsTensor = tensor || isProxy(value) || (instance && instance->type->find("__torch_function__"));
    if (module.buffer(name) && !actsAsTensor) refuse("buffer", "torch.nn.Buffer, torch.Tensor");
}

} // namespace fx::python

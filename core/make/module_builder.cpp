// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/module_builder.h"

#include "core/make/module_factory.h"
#include "core/make/source_tensors.h"
#include "core/ops/nn_modules.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>

namespace fx::trace {
namespace {

bool isModuleBase(const Value& type) {
    const auto* function = type.as<FunctionValue>();
    return function && (function->path == "torch.nn.Module" || function->path == "torch.nn.modules.module.Module");
}
template<class List> void forget(List& list, std::string_view name) {
    std::erase_if(list, [&](const auto& item) {
        if constexpr (requires { item.name; }) return item.name == name;
        else return item.first == name;
    });
}
/// The place of a name, which a new value keeps; a new one at the end.
template<class List> auto& slotOf(List& list, const std::string& name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
    if (found != list.end()) return *found;
    auto& slot = list.emplace_back();
    slot.name = name;
    return slot;
}

bool isPlain(const Value& value) {
    if (const auto* sequence = value.as<ValueSequence>())
        return std::all_of(sequence->items.begin(), sequence->items.end(), isPlain);
    return value.as<Argument>() != nullptr;
}

std::string textArgument(const Value& value) {
    const auto* argument = value.as<Argument>();
    const auto* text = argument ? argument->as<std::string>() : nullptr;
    if (!text) throw PythonError("TypeError: a name must be a string");
    return *text;
}

} // namespace

// ── constructors ─────────────────────────────────────────────────────────────────────────────────────────────────

std::shared_ptr<Module> ModuleBuilder::make(std::string_view className, KeywordValues arguments) {
    const Value* type = global(className);
    if (!type || !type->as<SourceClass>()) throw CannotFollow(Message("make.unsupported_class", {{"name", className}}));
    const Value type_ = *type;
    return shared(construct(type_, {}, std::move(arguments)));
}

std::shared_ptr<Module> ModuleBuilder::shared(const Value& module) {
    return m_built.made(*module.as<ModuleValue>()->module).module;
}

Value ModuleBuilder::construct(const Value& type, Values args, KeywordValues kwargs) {
    const SourceClass& made = *type.as<SourceClass>();
    const SourceClass* first = &made;
    while (first->base.as<SourceClass>()) first = first->base.as<SourceClass>();
    const std::string_view container = containerName(torchClass(first->base));
    if (!isModuleBase(first->base) && container.empty())
        throw CannotFollow(Message("make.not_a_module", {{"name", made.name}}));
    auto module = std::make_shared<Module>();
    module->className = made.name;
    module->classModule = "__main__";
    const Value self{ModuleValue{module.get()}};
    m_built.add(module, type);
    if (const Value* init = made.find("__init__"); init && init->as<SourceFunction>()) {
        SourceFunction bound = *init->as<SourceFunction>();
        bound.self = std::make_shared<const Value>(self);
        callSource(bound, std::move(args), std::move(kwargs));
    } else if (!container.empty()) {
        fillContainer(*module, container, args);
    } else if (!args.empty() || !kwargs.empty()) {
        throw PythonError("TypeError: " + made.name + "() takes no arguments");
    }
    return self;
}

Value ModuleBuilder::callValue(const Value& callee, Values args, KeywordValues kwargs) {
    if (callee.as<SourceClass>()) return construct(callee, std::move(args), std::move(kwargs));
    if (const auto* method = callee.as<BoundMethod>()) {
        if (const auto* above = method->self.as<SuperValue>()) {
            Module& self = *shared(above->self);
            if (method->name == "__init__")
                return fillContainer(self, containerName(torchClass(above->base)), args), none();
            return callOnModule(self, method->name, args, kwargs);
        }
        if (method->self.as<ModuleValue>() && method->name != "children")
            return callOnModule(*shared(method->self), method->name, args, kwargs);
    }
    if (const auto* function = callee.as<FunctionValue>()) {
        if (const auto path = torchClass(callee); !path.empty()) return makeTorchModule(path, args, kwargs);
        if (function->path == "torch.nn.Parameter" || function->path == "torch.nn.parameter.Parameter")
            return makeParameter(args, kwargs);
        if (auto tensor = makeTensor(*function, args, kwargs)) return std::move(*tensor);
        if (function->path.starts_with("torch.nn.init."))
            if (auto tensor = initialise(std::string_view(function->path).substr(14), args, kwargs))
                return std::move(*tensor);
    }
    if (callee.as<ModuleValue>()) throw CannotFollow(Message("make.called_in_constructor"));
    return ClassInterpreter::callValue(callee, std::move(args), std::move(kwargs));
}

Value ModuleBuilder::makeTorchModule(std::string_view path, const Values& args, const KeywordValues& kwargs) {
    if (const auto container = containerName(path); !container.empty()) {
        auto module = std::make_shared<Module>();
        module->className = container;
        module->classModule = "torch.nn.modules.container";
        m_built.add(module, none());
        fillContainer(*module, container, args);
        return {ModuleValue{module.get()}};
    }
    const auto parameters = ops::findModule(path)->parameters();
    ModuleSettings settings;
    const auto give = [&](std::string_view name, const Value& value) {
        if (value.as<ModuleValue>()) settings.modules.emplace_back(name, shared(value));
        else if (const auto* function = value.as<FunctionValue>())
            settings.values.emplace_back(name, CallableValue{function->callable});
        else settings.values.emplace_back(name, m_tracer.toArgument(value));
    };
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i >= parameters.size())
            throw PythonError("TypeError: " + std::string(path) + "() takes " + std::to_string(parameters.size()) +
                              " arguments but " + std::to_string(args.size()) + " were given");
        give(parameters[i].name, args[i]);
    }
    for (const auto& [key, value] : kwargs) give(key, value);
    for (const auto& [key, value] : settings.values) {
        const auto* dtype = value.as<TorchConstant>();
        if (key == "dtype" && !value.isNone() && !(dtype && dtype->name == "torch.float32"))
            throw CannotFollow(Message("make.unsupported_dtype"));
    }
    return {ModuleValue{addTree(makeModule(path, settings, m_random))}};
}

/// Modules that a module of torch.nn is made of can be reached and changed like others.
const Module* ModuleBuilder::addTree(const std::shared_ptr<Module>& root) {
    std::vector<std::shared_ptr<Module>> open{root};
    while (!open.empty()) {
        const auto module = std::move(open.back());
        open.pop_back();
        m_built.add(module, none());
        for (const auto& child : module->children)
            if (child.module) open.push_back(child.module);
    }
    return root.get();
}

void ModuleBuilder::fillContainer(Module& module, std::string_view container, const Values& args) {
    if (container.empty() || args.empty()) return;
    if (const auto* dict = args[0].as<ValueDict>()) {
        for (const auto& [key, child] : dict->items) addChild(module, textArgument(key), child);
        return;
    }
    const Values children = container == "ModuleList" ? iterate(args[0]) : args;
    for (std::size_t i = 0; i < children.size(); ++i) addChild(module, std::to_string(i), children[i]);
}

Value ModuleBuilder::callOnModule(Module& module, const std::string& method, const Values& args,
                                  const KeywordValues& kwargs) {
    const auto keyword = [&](std::string_view name) {
        const auto found =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == name; });
        return found == kwargs.end() ? nullptr : &found->second;
    };
    const Value self{ModuleValue{&module}};
    const auto at = [&](std::size_t i, std::string_view name) -> const Value& {
        const Value* value = i < args.size() ? &args[i] : keyword(name);
        if (!value)
            throw PythonError("TypeError: " + method + "() missing a required argument: '" + std::string(name) + "'");
        return *value;
    };
    if (method == "register_buffer") {
        const Value* persistent = args.size() > 2 ? &args[2] : keyword("persistent");
        const Value& tensor = at(1, "tensor");
        const std::string name = textArgument(at(0, "name"));
        module.buffers.push_back(
            {name, tensor.isNone() ? nullptr : usable(tensor), !persistent || m_tracer.truth(*persistent)});
    } else if (method == "register_parameter") {
        setAttribute(self, textArgument(at(0, "name")), at(1, "param"));
        if (at(1, "param").isNone()) slotOf(module.parameters, textArgument(at(0, "name")));
    } else if (method == "add_module" || method == "register_module") {
        addChild(module, textArgument(at(0, "name")), at(1, "module"));
    } else if (method == "append") {
        addChild(module, std::to_string(module.children.size()), at(0, "module"));
    } else if (method == "extend") {
        for (const Value& child : iterate(at(0, "modules")))
            addChild(module, std::to_string(module.children.size()), child);
    } else if (method == "eval" || method == "train") {
        const bool training = method == "train" && (args.empty() || m_tracer.truth(args[0]));
        std::vector<Module*> open{&module};
        while (!open.empty()) {
            Module* each = open.back();
            open.pop_back();
            each->training = training;
            for (const auto& child : each->children)
                if (child.module) open.push_back(child.module.get());
        }
        return self;
    } else {
        throw CannotFollow(Message("make.unsupported_method", {{"method", method}}));
    }
    return none();
}

void ModuleBuilder::addChild(Module& module, const std::string& name, const Value& child) {
    if (!child.as<ModuleValue>() && !child.isNone())
        throw PythonError("TypeError: " + textOf(child) + " is not a Module subclass");
    slotOf(module.children, name).module = child.isNone() ? nullptr : shared(child);
}

// ── attributes ───────────────────────────────────────────────────────────────────────────────────────────────────

Value ModuleBuilder::attributeOf(const Value& object, std::string_view name) {
    const auto* self = object.as<ModuleValue>();
    if (!self) return ClassInterpreter::attributeOf(object, name);
    const Module& module = *self->module;
    if (const Value* value = m_built.value(module, name)) return *value;
    if (const auto member = m_built.member(module, name, object)) return *member;
    if (name == "training") return {Argument(module.training)};
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const auto& slot : *slots)
            if (slot.name == name) return slot.tensor ? Value{TensorValue{slot.tensor}} : none();
    for (const auto& child : module.children)
        if (child.name == name) return child.module ? Value{ModuleValue{child.module.get()}} : none();
    if (const auto* attribute = module.attribute(name)) {
        const auto* tensor = std::get_if<TensorPtr>(attribute);
        return tensor ? Value{TensorValue{*tensor}} : fromArgument(std::get<Argument>(*attribute));
    }
    return box(BoundMethod{object, std::string(name)});
}

void ModuleBuilder::setAttribute(const Value& object, std::string_view attribute, const Value& value) {
    if (!object.as<ModuleValue>()) return ClassInterpreter::setAttribute(object, attribute, value);
    BuiltModules::Made& made = m_built.made(*object.as<ModuleValue>()->module);
    Module& module = *made.module;
    const std::string name(attribute);
    const auto* tensor = value.as<TensorValue>();
    const bool isParameter = tensor && tensor->tensor->isParameter;
    const bool isBuffer = tensor && !isParameter && module.buffer(name);
    if (name == "training") {
        module.training = m_tracer.truth(value);
        return;
    }
    if (!isParameter) forget(module.parameters, name);
    if (!isBuffer) forget(module.buffers, name);
    if (!value.as<ModuleValue>()) forget(module.children, name);
    forget(module.attributes, name);
    forget(made.values, name);
    if (isParameter) slotOf(module.parameters, name).tensor = usable(value);
    else if (isBuffer) slotOf(module.buffers, name).tensor = usable(value);
    else if (value.as<ModuleValue>()) addChild(module, name, value);
    else if (tensor) module.attributes.emplace_back(name, usable(value));
    else {
        made.values.emplace_back(name, value);
        if (isPlain(value)) module.attributes.emplace_back(name, m_tracer.toArgument(value));
    }
}

// ── tensors ──────────────────────────────────────────────────────────────────────────────────────────────────────

TensorPtr ModuleBuilder::usable(const Value& value) const {
    const auto* tensor = value.as<TensorValue>();
    if (!tensor) throw PythonError("TypeError: " + textOf(value) + " is no tensor");
    if (m_needsValues && (!tensor->shapeKnown || (tensor->tensor->storage && tensor->tensor->storage->isExpression())))
        throw CannotFollow(Message("make.unknown_values", {{"value", textOf(value)}}));
    return tensor->tensor;
}

Value ModuleBuilder::makeParameter(const Values& args, const KeywordValues& kwargs) const {
    const auto keyword = [&](std::string_view name) {
        const auto found =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == name; });
        return found == kwargs.end() ? nullptr : &found->second;
    };
    const Value* data = !args.empty() ? &args[0] : keyword("data");
    const Value* grad = args.size() > 1 ? &args[1] : keyword("requires_grad");
    if (!data) throw CannotFollow(Message("make.parameter_without_data"));
    auto parameter = std::make_shared<TensorRef>(*usable(*data));
    parameter->isParameter = true;
    parameter->requiresGrad = !grad || plainTruth(*grad);
    return {TensorValue{parameter, data->as<TensorValue>()->shapeKnown}};
}

std::optional<Value> ModuleBuilder::makeTensor(const FunctionValue& function, const Values& args,
                                               const KeywordValues& kwargs) {
    if (!isTensorFactory(function.path)) return std::nullopt;
    const Value shaped = ClassInterpreter::callValue(box(FunctionValue(function)), args, kwargs);
    return filledFactory(function.path, shaped, args, m_random);
}

/// `nn.init.zeros_(parameter)`: the new values take the old ones' place wherever they stand.
std::optional<Value> ModuleBuilder::initialise(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    const auto* tensor = args.empty() ? nullptr : args[0].as<TensorValue>();
    if (!tensor) return std::nullopt;
    const auto values = initialValues(name, *tensor->tensor, args, kwargs, m_random);
    if (!values) throw CannotFollow(Message("make.unsupported_init", {{"name", name}}));
    // Tensors are shared by whoever holds them: the storage is exchanged in place.
    const_cast<TensorRef&>(*tensor->tensor).storage = values;
    return args[0];
}

} // namespace fx::trace

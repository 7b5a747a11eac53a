// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of torch.nn as Python objects: attributes, calls.
#include "core/make/source_tensors.h"
#include "core/ops/nn_modules.h"
#include "core/python/python_interpreter.h"
#include "core/python/torch/meta_device.h"
#include "core/python/torch/module_slots.h"
#include "core/python/tracing/body_rules.h"
#include "core/python/tracing/call_rules.h"
#include "core/python/tracing/module_tree.h"
#include "core/python/tracing/source_scopes.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Modules::~Modules() {
    for (auto each = m_modules.rbegin(); each != m_modules.rend(); ++each) // those that hold others first
        letGo(std::move((*each)->module));
}

Instance* Modules::instanceOf(const Module* module) {
    Instance* const* found = m_instances.find(module);
    return found ? *found : nullptr;
}

Value Modules::wrapModule(const std::shared_ptr<Module>& module) {
    if (!module) return Value::none();
    if (Instance* known = instanceOf(module.get())) return known;
    Instance* made = heap().make<Instance>();
    made->type = m_in.bridge().torchClass(module->qualifiedType());
    if (!made->type) made->type = m_in.bridge().torchClass("torch.nn.Module");
    made->module = module;
    m_instances.set(module.get(), made);
    m_modules.push_back(made);
    return made;
}

std::shared_ptr<Module> Modules::childOf(const Value& child) {
    const auto* instance = child.as<Instance>();
    if (!child.isNone() && !(instance && instance->module))
        raise("TypeError", torchTypeName(child) + " is not a Module subclass");
    return child.isNone() ? nullptr : instance->module;
}

void Modules::addChildren(Module& module, const Values& more) {
    if (more.size() == 1) { // of a generator, which may look at the module in between
        trace::charge(4);
        slotOf(module.children, std::to_string(module.children.size())).module = childOf(more[0]);
        return;
    }
    std::unordered_set<std::string> taken;
    for (const auto& child : module.children) taken.insert(child.name);
    trace::charge(4 * more.size() + module.children.size() / 2);
    for (std::size_t i = 0, first = module.children.size(); i < more.size(); ++i) {
        std::string name = std::to_string(first + i);
        if (taken.contains(name)) slotOf(module.children, name).module = childOf(more[i]);
        else module.children.push_back({std::move(name), childOf(more[i])});
    }
}

/// `module._modules[name] = value`, and so for `_parameters` and `_buffers`; null: `del`.
void Modules::setModuleEntry(Instance& instance, std::string_view kind, const std::string& name, const Value* value) {
    Module& module = *instance.module;
    if (kind == "_modules") {
        if (value) slotOf(module.children, name).module = childOf(*value);
        else forget(module.children, name);
        return;
    }
    if (value && isProxy(*value)) return setModuleAttribute(instance, name, *value);
    auto& slots = kind == "_parameters" ? module.parameters : module.buffers;
    if (value) slotOf(slots, name).tensor = value->isNone() ? nullptr : m_in.tensors().keptOf(*value);
    else forget(slots, name);
    noteTensorSet();
}

void Modules::noteTensorSet() {
    if (!traces()) return;
    m_in.writesTensors = true;
    tracer().modules().readTensors();
}

void Modules::setModuleAttribute(Instance& instance, std::string_view name, const Value& value) {
    Module& module = *instance.module;
    trace::charge((module.children.size() + module.parameters.size() + module.attributes.size()) / 8);
    if (name == "training") {
        module.training = truth(value);
        return;
    }
    if (const auto* mark = value.as<Instance>();
        mark && mark->type->name == "Buffer" && mark->type->file && mark->type->file->name == "torch.nn") {
        auto& slot = slotOf(module.buffers, name); // torch.nn.Buffer
        slot.tensor = m_in.tensors().keptOf(*mark->attributes.find("data"));
        slot.persistent = truth(*mark->attributes.find("persistent"));
        return;
    }
    requireKind(module, name, value);
    const auto* given = tensorIn(value);
    if (given && given->data)
        return setModuleAttribute(instance, name, traced({trace::TensorValue{m_in.tensors().keptOf(value)}}));
    if (traces() && given) // `self.grid = self.grid` leaves the tensor that the graph reads by this name
        for (const auto& [key, known] : module.attributes)
            if (const auto* same = std::get_if<TensorPtr>(&known);
                key == name && same && same->get() == &given->object())
                return;
    // What torch.fx does not know from before the trace is a constant, under no name of its own.
    const auto* tensor = traces() && given && !given->tensor->isParameter && !module.buffer(name) ? nullptr : given;
    const auto* child = value.as<Instance>();
    const bool isParameter = tensor && tensor->tensor->isParameter, isChild = child && child->module && !traces();
    const bool isBuffer = module.buffer(name) && !isParameter && (tensor || value.isNone());
    if (instance.awaitsInit && (isParameter || isChild))
        raise("AttributeError",
              "cannot assign " + std::string(isParameter ? "parameters" : "module") + " before Module.__init__() call");
    if (isParameter && !module.parameter(name) && instance.type->find(name))
        raise("KeyError", "attribute '" + std::string(name) + "' already exists");
    if (traces() && module.buffer(name) && !isBuffer) m_in.writesTensors = true; // constants may be computed of it
    const auto hasChild = [&] { return module.childIndex(name) < module.children.size(); }; // None, perhaps
    const bool keepsSlot = value.isNone() && (module.parameter(name) || hasChild() || isBuffer);
    instance.attributes.erase(name);
    forget(module.attributes, name);
    if (!isParameter && !keepsSlot) forget(module.parameters, name);
    if (!isBuffer && !keepsSlot) forget(module.buffers, name);
    if (!isChild && !keepsSlot) forget(module.children, name);
    if (isParameter) slotOf(module.parameters, name).tensor = tensor->tensor;
    else if (isBuffer) slotOf(module.buffers, name).tensor = tensor ? tensor->tensor : nullptr;
    else if (isChild) slotOf(module.children, name).module = child->module;
    else if (keepsSlot && module.parameter(name)) slotOf(module.parameters, name).tensor = nullptr;
    else if (keepsSlot) slotOf(module.children, name).module = nullptr;
    else if (tensor) module.attributes.emplace_back(std::string(name), tensor->tensor);
    else instance.attributes.set(name, value);
    if (isParameter || isBuffer) noteTensorSet();
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

std::string pathOf(const Class& type) {
    return type.torchPath.empty() ? (type.file ? type.file->name + "." : "") + type.name : type.torchPath;
}

} // namespace

bool Modules::isOfClass(const Instance& module, const std::string& name) {
    const Class& type = *module.type;
    return name == type.name || name == pathOf(type) || "torch.nn." + type.name == name;
}

bool Modules::isLeaf(const Instance& module) const {
    const auto isNamed = [&](const std::string& name) { return isOfClass(module, name); };
    if (std::any_of(m_in.leafTypes.begin(), m_in.leafTypes.end(), isNamed)) return true;
    if (std::any_of(m_in.followedTypes.begin(), m_in.followedTypes.end(), isNamed) && canFollow(*module.type))
        return false;
    return isUsualLeaf(module);
}

bool Modules::isUsualLeaf(const Instance& module) {
    const Class& type = *module.type;
    // Of a class that is not known, as a file may have, or a torch.nn.Module itself.
    const bool isPlain = type.name == "Module" && !type.file && module.module;
    const Value* named = module.attributes.find("__module__"); // which the source may set
    if (!named) named = type.members.find("__module__");
    const std::string_view path = named && named->as<Str>() ? std::string_view(named->as<Str>()->text)
                                  : isPlain                 ? std::string_view("torch.nn.modules.module")
                                  : !type.torchPath.empty() ? std::string_view(type.torchPath)
                                  : type.file               ? std::string_view(type.file->name)
                                                            : std::string_view();
    const bool isSequential = std::any_of(type.order.begin(), type.order.end(), [](const Class* each) {
        return each->torchPath == "torch.nn.modules.container.Sequential";
    });
    return (path.starts_with("torch.nn") || path.starts_with("torch.ao.nn")) && !isSequential;
}

bool Modules::canFollow(Class& type) {
    const Value* forward = type.find("forward");
    const auto* function = forward ? forward->as<Function>() : nullptr;
    return function && function->owner && function->owner->name != "Module"; // whose own refuses
}

namespace {
/// Whether the text of the class says what a call in training does to the statistics of the module and to the random
/// numbers.
bool isTrainedByText(const Class& type) {
    return std::any_of(type.order.begin(), type.order.end(), [](const Class* each) {
        return each->name == "_NormBase" || each->name == "_DropoutNd" || each->name == "RReLU";
    });
}
/// Whether a call changes weights or draws random numbers, which the engine does to copies of its own.
bool hasEffects(const Module& module) {
    const auto isPositive = [&](std::string_view name) {
        const auto* real = module.setting<double>(name);
        const auto* integer = module.setting<std::int64_t>(name);
        return (real && *real > 0) || (integer && *integer > 0);
    };
    const std::string& name = module.className;
    const std::string& space = module.classModule;
    const bool isObserver = space.starts_with("torch.ao.quantization") && !space.ends_with(".stubs");
    if (isObserver || name.starts_with("FractionalMaxPool")) return true;
    if (name.starts_with("Embedding")) {
        const Argument* limit = module.setting("max_norm");
        return limit && !limit->isNone();
    }
    if (!module.training) return false;
    const bool isNorm = name.find("BatchNorm") != name.npos || name.find("InstanceNorm") != name.npos;
    const auto* layers = module.setting<std::int64_t>("num_layers"); // an LSTM drops between them
    return name == "RReLU" || name == "_SpectralNorm" ||
           (isNorm && module.buffer("running_mean") && module.buffer("running_mean")->tensor) ||
           (name.find("Dropout") != name.npos && isPositive("p")) ||
           (isPositive("dropout") && (!layers || *layers > 1));
}
bool anyHasEffects(const Module& root) {
    bool any = false;
    forEachModule(root, [&](const std::string&, const Module& module) { any = any || hasEffects(module); });
    return any;
}
/// Whether a tensor of the module or an argument requires gradients.
bool requiresAny(const Module& root, const Values& args) {
    bool any = std::any_of(args.begin(), args.end(),
                           [](const Value& each) { return tensorIn(each) && tensorIn(each)->object().requiresGrad; });
    forEachModule(root, [&](const std::string&, const Module& module) {
        forEachOwnTensor(module, [&](const std::string&, const TensorPtr& each) { any = any || each->requiresGrad; });
    });
    return any;
}
} // namespace

/// A call outside of a trace.
Value Modules::computeModule(Instance& module, Values args, Keywords kwargs) {
    const bool isPlain = module.type->name == "Module" && module.module->className == "Module"; // without a forward
    const bool isOfTorch =
        isLeaf(module) && !isPlain && !module.type->torchPath.empty() && !module.attributes.find("forward");
    if (!isOfTorch) return callForward(module, attribute(&module, "forward"), std::move(args), std::move(kwargs));
    const auto refuse = [] { throw CannotFollow(Message("make.called_in_constructor")); };
    if (!m_in.machine) refuse();
    forEachModule(*module.module, [&](const std::string&, const Module& each) {
        if (Instance* known = instanceOf(&each)) syncModule(*known);
    });
    const bool isByText = module.module->training && isTrainedByText(*module.type) && canFollow(*module.type);
    if (!isByText && anyHasEffects(*module.module))
        throw CannotFollow(Message("make.effects_in_constructor", {{"type", module.type->name}}));
    if (isByText) return callForward(module, attribute(&module, "forward"), std::move(args), std::move(kwargs));
    const Value forward = native("forward", [&module, refuse](Interpreter& in, Values& given, Keywords& named) {
        trace::Values traceArgs;
        trace::KeywordValues traceKwargs;
        for (const Value& arg : given) traceArgs.push_back(in.toOperand(arg, false));
        for (const auto& [key, value] : named) traceKwargs.emplace_back(key, in.toOperand(value, false));
        if (trace::anyProxy(traceArgs, traceKwargs)) refuse();
        for (const trace::Value& arg : traceArgs)
            if (const auto* tensor = arg.as<trace::TensorValue>(); tensor && isShapeOnly(*tensor->tensor))
                throw ValuesNeeded();
        const bool isRequired = requiresAny(*module.module, given);
        return in.fromTrace(
            in.gradients.markedOutput(in.machine->callModule(module.module, traceArgs, traceKwargs), isRequired));
    });
    return callForward(module, forward, std::move(args), std::move(kwargs));
}

Value Modules::callModule(Instance& module, Values args, Keywords kwargs) {
    if (!traces()) return computeModule(module, std::move(args), std::move(kwargs));
    const auto recorded = [&](const std::string& path) {
        trace::Values traceArgs;
        trace::KeywordValues traceKwargs;
        for (const Value& arg : args) traceArgs.push_back(toTrace(arg));
        for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, toTrace(value));
        return fromTrace(tracer().recordModule(path, traceArgs, traceKwargs));
    };
    const auto* path = tracer().modules().modulePath(module.module.get());
    if (!path && m_in.rules) return recorded(m_in.rules->pathOf(m_in, module));
    if (!path) throw PythonError("NameError: module is not installed as a submodule");
    if (m_in.hooks && m_in.hooks->callModule) {
        const Value forward = native("forward", [&module, path = *path](Interpreter& in, Values& all, Keywords& named) {
            return in.modules().followModule(module, path, all, named);
        });
        return m_in.hooks->callModule(module, forward, std::move(args), kwargs);
    }
    const bool isLeaf = m_in.hooks && m_in.hooks->isLeafModule
                            ? m_in.hooks->isLeafModule(module, *path)
                            : this->isLeaf(module) || std::find(m_in.leafPaths.begin(), m_in.leafPaths.end(), *path) !=
                                                          m_in.leafPaths.end();
    if (isLeaf && m_in.callRules) CallRules::requireNoHooks(module);
    return isLeaf ? recorded(*path) : followModule(module, *path, std::move(args), std::move(kwargs));
}

/// What `Module.__call__` does: the forward with the hooks around it.
Value Modules::callForward(Instance& module, const Value& forward, Values args, Keywords kwargs) {
    const auto hasAny = [&](std::string_view name) {
        const Value* table = module.attributes.find(name);
        return table && table->as<Dict>() && table->as<Dict>()->size() != 0;
    };
    if (!hasAny("_forward_pre_hooks") && !hasAny("_forward_hooks"))
        return call(forward, std::move(args), std::move(kwargs));
    Dict* named = heap().make<Dict>();
    for (const auto& [key, value] : kwargs) named->set(text(key), value);
    const Value* hooked = run(*ownFile("torch.nn.modules")).names.find("_hooked_call");
    return call(*hooked, {&module, forward, tuple(std::move(args)), named});
}

Value Modules::followModule(Instance& module, const std::string& path, Values args, Keywords kwargs) {
    const bool isFused = std::any_of(module.type->order.begin(), module.type->order.end(), [](const Class* each) {
        const std::string_view of = each->torchPath; // with a forward of its own, although it is a Sequential
        return of.starts_with("torch.ao.nn.intrinsic.qat.") ||
               of.starts_with("torch.ao.nn.intrinsic.modules.fused.ConvAdd");
    });
    const bool isUnknown = isFused || !canFollow(*module.type);
    if (!module.type->torchPath.empty() && isUnknown && module.type->name != "Module")
        throw CannotFollow(Message("make.unknown_forward", {{"type", module.type->torchPath}}));
    stack().takeNotes();
    stack().modulePath.push_back(path);
    stack().moduleStack.push_back({path, path, module.module->qualifiedType()});
    struct Leave {
        Interpreter& in;
        ~Leave() {
            in.stack().takeNotes();
            in.stack().modulePath.pop_back();
            in.stack().moduleStack.pop_back();
        }
    } leave{m_in};
    const std::size_t first = tracer().graph().idLimit();
    const Value forward = attribute(&module, "forward");
    const Value result = path.empty() ? call(forward, std::move(args), std::move(kwargs))
                                      : callForward(module, forward, std::move(args), std::move(kwargs));
    if (m_in.scopes) m_in.scopes->leave({path, pathOf(*module.type)}, first, tracer().graph().idLimit());
    return result;
}

namespace {
bool isFloatFunctional(const Class& type) {
    return std::any_of(type.order.begin(), type.order.end(), [](const Class* each) {
        return each->torchPath == "torch.ao.nn.quantized.modules.functional_modules.FloatFunctional";
    });
}
} // namespace

void Modules::noteFloatFunctionals(const Module& root) {
    const bool areKnown = std::any_of(m_in.bridge().torchClasses().begin(), m_in.bridge().torchClasses().end(),
                                      [](const auto& each) { return each.second && isFloatFunctional(*each.second); });
    if (!areKnown) return;
    forEachModule(root, [&](const std::string&, const Module& module) {
        const Instance* instance = instanceOf(&module);
        if (!instance || !isFloatFunctional(*instance->type)) return;
        std::vector<std::string>& known = m_in.scopes->floatFunctionals;
        std::string type = module.qualifiedType();
        if (std::find(known.begin(), known.end(), type) == known.end()) known.push_back(std::move(type));
    });
}

void Modules::swapFloatFunctionals(Instance& module) {
    call(*run(*ownFile("torch.nn.modules")).names.find("_swap_ff_with_fxff"), {Value(&module)});
}

void Modules::noteOwnMember(const Function& function, const Value& self) {
    if (m_in.scopes->ownMember || !function.owner->torchPath.empty()) return;
    const auto* instance = self.as<Instance>();
    const bool isReplaced = instance && instance->module && isFloatFunctional(*instance->type) &&
                            instance->module.get() != &tracer().modules().root();
    if (isReplaced) m_in.scopes->ownMember = {instance->module->qualifiedType(), function.name};
}

std::string Modules::extraRepr(const Value& module) {
    const auto& order = module.get<Instance>().type->order;
    const auto ofTorch =
        std::find_if(order.begin(), order.end(), [](const Class* each) { return !each->torchPath.empty(); });
    const auto known = ofTorch == order.end() ? std::nullopt : ops::findModule((*ofTorch)->torchPath);
    if (!known) return {};
    const auto shown = known->extraRepr([&](std::string_view path) -> std::optional<ops::NnModule::Value> {
        Value at = module;
        for (std::size_t start = 0; start <= path.size();) {
            const std::size_t dot = std::min(path.find('.', start), path.size());
            at = findAttribute(at, path.substr(start, dot - start));
            if (!at.isSet()) return std::nullopt;
            start = dot + 1;
        }
        if (tensorIn(at) || isProxy(at)) return ops::NnModule::Value{};
        return ops::NnModule::Value{str(at), repr(at), at.isNone(), truth(at)};
    });
    if (!shown) raise("NotImplementedError", "extra_repr of a " + (*ofTorch)->name);
    return *shown;
}

namespace {
Module& moduleIn(const Value& value) {
    const auto* instance = value.as<Instance>();
    if (!instance || !instance->module) throw PythonError("TypeError: expected a Module");
    return *instance->module;
}
} // namespace

void Modules::addModuleHelpers() {
    const auto add = [&](const char* name, Native::Body body) {
        m_in.builtins().names().set(name, native(name, std::move(body)));
    };
    add("__module_child__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        auto& children = moduleIn(args.at(0)).children;
        trace::charge(children.size() / 2);
        slotOf(children, in.str(args.at(1))).module = in.modules().childOf(args.at(2));
        return Value::none();
    });
    add("__module_number__", [](Interpreter&, Values& args, Keywords&) -> Value { // children have names by their place
        auto& children = moduleIn(args.at(0)).children;
        trace::charge(children.size());
        for (std::size_t i = 0; i < children.size(); ++i) children[i].name = std::to_string(i);
        return Value::none();
    });
    add("__module_extend__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Module& module = moduleIn(args.at(0));
        if (itemsOf(args.at(1))) in.modules().addChildren(module, *itemsOf(args[1]));
        else in.forEachItem(args[1], [&](const Value& each) { in.modules().addChildren(module, {each}); });
        return Value::none();
    });
    add("__module_iterator__", [](Interpreter& in, Values& args, Keywords&) -> Value { // of `_modules.values()`
        Module& module = moduleIn(args.at(0));
        return in.iterator(
            [&in, &module, count = module.children.size(), at = std::size_t{0}]() mutable -> Value {
                if (at > count) return {}; // an iterator that has ended stays so
                if (module.children.size() != count)
                    in.raise("RuntimeError", "dictionary changed size during iteration");
                return at++ < count ? in.modules().wrapModule(module.children[at - 1].module) : Value();
            },
            "dict_valueiterator");
    });
    add("__module_buffer__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        moduleIn(args.at(0));
        if (args.at(0).get<Instance>().awaitsInit)
            in.raise("AttributeError", "cannot assign buffer before Module.__init__() call");
        auto& self = *args.at(0).as<Instance>();
        if (isProxy(args.at(2))) {
            in.modules().setModuleAttribute(self, in.str(args.at(1)), args[2]);
            return Value::none();
        }
        auto& slot = slotOf(self.module->buffers, in.str(args.at(1)));
        slot.tensor = args.at(2).isNone() ? nullptr : in.tensors().keptOf(args[2]);
        slot.persistent = in.truth(args.at(3));
        in.modules().noteTensorSet();
        return Value::none();
    });
    add("__module_parameter__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Module& module = moduleIn(args.at(0));
        if (args.at(0).get<Instance>().awaitsInit)
            in.raise("AttributeError", "cannot assign parameter before Module.__init__() call");
        slotOf(module.parameters, in.str(args.at(1))).tensor =
            args.at(2).isNone() ? nullptr : in.tensors().tensorOf(args[2]);
        return Value::none();
    });
    add("__tensor_init__", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const std::string name = in.str(args.at(0));
        args.erase(args.begin());
        return in.tensors().initFunction(name, args, kwargs);
    });
    add("__grad_mode__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (!args.empty()) in.gradients.setModes(static_cast<int>(args[0].asInt()));
        return {static_cast<std::int64_t>(in.gradients.modes())};
    });
    add("__with_grad_mode__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const auto* function = args.at(0).as<Function>();
        if (!function) return args[0]; // a class, or an object that autograd's modes do not matter to
        Function* made = in.heap().make<Function>();
        *made = *function;
        const bool isInner = function->keptGradModes != 3 || function->setGradModes != 0; // that of the inner decorator
        if (isInner) return made;
        made->keptGradModes = static_cast<std::uint8_t>(args.at(1).asInt());
        made->setGradModes = static_cast<std::uint8_t>(args.at(2).asInt());
        return made;
    });
    add("__manual_seed__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.random().seed(static_cast<std::uint64_t>(args.at(0).asInt()));
        return Value::none();
    });
    add("__random_state__", [](Interpreter& in, Values& args, Keywords&) -> Value { // the number of a kept state
        if (!args.empty())
            in.random().setState(in.modules().m_randomStates.at(static_cast<std::size_t>(args[0].asInt())));
        else in.modules().m_randomStates.push_back(in.random().state());
        return Value::integerOf(in.modules().m_randomStates.size() - 1);
    });
    add("__reset_module__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.modules().resetTorchModule(*args.at(0).as<Instance>());
        return Value::none();
    });
    add("__extra_repr__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.text(in.modules().extraRepr(args.at(0))); });
    m_in.metaDevice().addDeviceHelpers();
    add("__parameter__", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        return in.tensors().makeParameter(args, kwargs);
    });
}

} // namespace fx::python

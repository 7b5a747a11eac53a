// SPDX-License-Identifier: GPL-3.0-or-later
// Setting and deleting attributes.
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// Whether a file is Lancet's own text of a module of PyTorch, or of Python's built-in names.
bool isOfTorch(const SourceFile* file) {
    return file && file->path.empty() && !file->isGenerated &&
           (file->name.starts_with("torch") || file->name == "builtins");
}

/// Whether every function has the attribute, which `__dict__` does not show.
bool isOfFunction(std::string_view name) {
    static constexpr std::string_view kNames[] = {"__name__",   "__qualname__",    "__doc__",
                                                  "__module__", "__annotations__", "__dict__"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}
} // namespace

void AttributeChanges::removeAttribute(const Value& object, const std::string& name) {
    if (m_in.callRules) m_in.callRules->requireOwn(object, "__delattr__");
    const auto* owner = object.as<Instance>();
    const Value* member = owner ? owner->type->find(name) : nullptr;
    if (const auto* property = member ? member->as<Property>() : nullptr) {
        if (!property->deleter.isSet())
            raise("AttributeError",
                  "property '" + name + "' of '" + owner->type->pathInFile() + "' object has no deleter");
        call(property->deleter, {object});
        return;
    }
    if (const Value own = member ? specialMethod(*member, "__delete__") : Value(); own.isSet()) {
        call(own, {object});
        return;
    }
    if (const Value own = specialMethod(object, "__delattr__"); own.isSet()) {
        call(own, {text(name)});
        return;
    }
    eraseAttribute(object, name);
}

void AttributeChanges::eraseAttribute(const Value& object, const std::string& name) {
    bool found = false;
    if (auto* type = object.as<Class>()) {
        found = type->members.erase(name);
    } else if (auto* function = object.as<Function>()) {
        const Value* linked = function->attributes.find("__dict__");
        found =
            linked && !isOfFunction(name) ? linked->get<Dict>().erase(text(name)) : function->attributes.erase(name);
    } else if (auto* instance = object.as<Instance>()) {
        const Value* linked = instance->attributes.find("__dict__");
        Dict* dict = linked ? linked->as<Dict>() : nullptr;
        found = dict ? dict->erase(text(name)) : instance->attributes.erase(name);
        if (Module* module = instance->module.get()) {
            const auto isIt = [&](const auto& slot) { return slot.name == name; };
            found |= std::erase_if(module->attributes, [&](const auto& each) { return each.first == name; }) != 0;
            found |= std::erase_if(module->parameters, isIt) != 0;
            found |= std::erase_if(module->buffers, isIt) != 0;
            found |= std::erase_if(module->children, isIt) != 0;
        }
    } else if (object.as<Opaque>()) {
        return;
    } else if (const auto* space = object.as<Space>()) {
        throw CannotFollow(Message("trace.replaced_name", {{"name", space->path + "." + name}}));
    } else if (auto* file = object.as<SourceFile>()) {
        Names& names = run(*file).names;
        if (isOfTorch(file) && names.find(name)) requireOwnText(file->name + "." + name);
        found = names.erase(name);
    } else if (tensorIn(object)) {
        const auto marked = m_marks.find(&tensorIn(object)->object());
        found = marked != m_marks.end() && marked->second.names.erase(name);
    } else if (auto* traced = object.as<Traced>(); traced && traced->attributes) {
        found = traced->attributes->erase(name);
    }
    if (!found) raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + name + "'");
}

/// `object.__class__ = type`
void AttributeChanges::setClass(Instance& instance, const Value& value) {
    auto* type = value.as<Class>();
    if (!type) raise("TypeError", "__class__ must be set to a class, not '" + typeName(value) + "' object");
    if (m_in.instances().heldBy(*type) != m_in.instances().heldBy(*instance.type) ||
        type->isModule != instance.type->isModule || type->isException != instance.type->isException)
        raise("TypeError",
              "__class__ assignment: '" + type->name + "' object layout differs from '" + instance.type->name + "'");
    instance.type = type;
    if (instance.module) Instances::nameClass(*instance.module, *type);
}

/// `object.__dict__ = value`, which a class derived from dict does with itself: both show what is in the other.
void AttributeChanges::setDict(Instance& instance, const Value& value) {
    auto* dict = plain(value).as<Dict>();
    if (!dict) raise("TypeError", "__dict__ must be set to a dictionary, not a '" + typeName(value) + "'");
    Names& attributes = instance.attributes;
    attributes.clear();
    dict->changed = nullptr;
    dict->forEach([&](const Value& key, const Value& each) {
        if (const auto* name = key.as<Str>()) attributes.set(name->text, each);
    });
    if (instance.module) return;
    attributes.set("__dict__", dict);
    dict->changed = [&attributes](const Value& key, const Value* each) {
        const auto* name = key.as<Str>();
        if (name && each) attributes.set(name->text, *each);
        else if (name) attributes.erase(name->text);
    };
}

namespace {
bool isMember(const Class& type, std::string_view name) {
    const Value* member = type.members.find(name);
    const auto* instance = member ? member->as<Instance>() : nullptr;
    return instance && instance->type == &type;
}
} // namespace

const std::vector<std::string>* AttributeChanges::slotsOf(Class& type) {
    if (!type.members.find("__slots__")) return nullptr;
    if (type.slots) return &*type.slots;
    std::vector<std::string> names;
    for (const Class* each : type.order) {
        const Value* own = each->members.find("__slots__");
        const bool isBuiltin = !each->file;
        if (!own && !isBuiltin) return nullptr;
        if (!own) continue;
        if (own->as<Str>()) names.push_back(own->as<Str>()->text);
        else
            for (const Value& name : list(*own)) names.push_back(str(name));
    }
    if (std::find(names.begin(), names.end(), "__dict__") != names.end()) return nullptr;
    return &type.slots.emplace(std::move(names));
}

/// Raises TypeError where Python does not take the value as `__cause__`, `__context__` or `__traceback__`.
void AttributeChanges::requireCause(std::string_view name, const Value& value) {
    const auto* exception = value.as<Instance>();
    const bool isException = value.isNone() || (exception && exception->type->isException);
    if ((name == "__cause__" || name == "__context__") && !isException)
        raise("TypeError", "exception " + std::string(name.substr(2, name.size() - 4)) +
                               " must be None or derive from BaseException");
    if (name == "__traceback__" && !value.isNone() && !value.as<Opaque>())
        raise("TypeError", "__traceback__ must be a traceback or None");
}

void AttributeChanges::link(Function& function, Dict& dict) {
    function.attributes.set("__dict__", &dict);
    dict.changed = [&function](const Value& key, const Value* value) { // what Python hands out is no copy
        const auto* name = key.as<Str>();
        if (name && value) function.attributes.set(name->text, *value);
        else if (name) function.attributes.erase(name->text);
    };
}

Dict* AttributeChanges::dictOf(Function& function) {
    const Value* linked = function.attributes.find("__dict__");
    Dict* const dict = linked ? linked->as<Dict>() : heap().make<Dict>();
    const auto attributes = function.attributes.items();
    for (const auto& [key, value] : attributes) // Lancet sets some itself
        if (!isOfFunction(key) && !dict->find(key)) dict->set(text(key), value);
    if (!linked) link(function, *dict);
    return dict;
}

void AttributeChanges::setFunction(Function& function, std::string_view name, const Value& value) {
    static constexpr std::string_view kParts[] = {"__code__",    "__defaults__", "__kwdefaults__",
                                                  "__closure__", "__globals__",  "__builtins__"};
    if (std::find(std::begin(kParts), std::end(kParts), name) != std::end(kParts))
        throw CannotFollow(Message("trace.unknown_standard", {{"name", "function." + std::string(name)}}));
    const bool isName = name == "__name__" || name == "__qualname__";
    if (isName && !plain(value).as<Str>()) raise("TypeError", std::string(name) + " must be set to a string object");
    if (name == "__dict__") {
        auto* dict = plain(value).as<Dict>();
        if (!dict) raise("TypeError", "__dict__ must be set to a dictionary, not a '" + typeName(value) + "'");
        const auto before = function.attributes.items();
        for (const auto& [key, each] : before)
            if (!isOfFunction(key)) function.attributes.erase(key);
        dict->forEach([&](const Value& key, const Value& each) { function.attributes.set(str(key), each); });
        return link(function, *dict);
    }
    const Value* linked = function.attributes.find("__dict__");
    if (linked && !isOfFunction(name)) return linked->get<Dict>().set(text(std::string(name)), value);
    function.attributes.set(name, value);
}

/// Throws CannotFollow if a program sets what Lancet, too, calls where PyTorch does.
void AttributeChanges::requireOwnText(const std::string& name) const {
    const SourceFile* file = stack().frame ? stack().frame->file : nullptr;
    if (file && file->path.empty()) return;
    throw CannotFollow(Message("trace.replaced_name", {{"name", name}}));
}

/// Keeps the original of `torch.nn.init.normal_ = f`, which transformers sets while a model draws its weights. Returns
/// false for other paths.
bool AttributeChanges::noteReplacedInit(const std::string& path, const Value& before, const Value& value) {
    if (!path.starts_with("torch.nn.init.")) return false;
    const Value* original = m_replacedInit.find(path);
    if (!original && !before.sameAs(value)) m_replacedInit.set(path, before);
    else if (original && original->sameAs(value)) m_replacedInit.erase(path);
    return true;
}

/// Follows `nn.Linear.reset_parameters = f`, with which programs skip the drawing of weights. Returns false for other
/// members, and for classes without the method.
bool AttributeChanges::replacesReset(Class& type, std::string_view name, const Value& value) {
    const Value* before = name == "reset_parameters" ? type.find(name) : nullptr;
    if (!before || !type.isModule || type.torchPath.empty()) return false;
    if (before->sameAs(value)) return true;
    const auto known =
        std::find_if(m_resets.begin(), m_resets.end(), [&](const auto& each) { return each.first == &type; });
    if (known == m_resets.end()) m_resets.emplace_back(&type, *before);
    else if (known->second.sameAs(value)) m_resets.erase(known);
    type.members.set(name, value);
    return true;
}

Value AttributeChanges::originalReset(const Class& layer) const {
    for (const Class* each : layer.order) {
        const Value* member = each->members.find("reset_parameters");
        if (!member) continue;
        const auto known =
            std::find_if(m_resets.begin(), m_resets.end(), [&](const auto& one) { return one.first == each; });
        return known == m_resets.end() ? *member : known->second;
    }
    return {};
}

void AttributeChanges::requireOwnReset(const Class& layer, bool hasParts) const {
    for (const auto& [type, original] : m_resets)
        if (hasParts || (type != &layer && layer.derivesFrom(type)))
            throw CannotFollow(Message("trace.replaced_name", {{"name", type->name + ".reset_parameters"}}));
}

Value AttributeChanges::markOf(const TensorRef& tensor, std::string_view name) const {
    const auto marked = m_marks.find(&tensor);
    const Value* found = marked == m_marks.end() ? nullptr : marked->second.names.find(name);
    return found ? *found : Value();
}

void AttributeChanges::requireOwnInit() const {
    if (const auto& replaced = m_replacedInit.items(); !replaced.empty())
        throw CannotFollow(Message("trace.replaced_name", {{"name", replaced.front().first}}));
}

/// `torch.relu = f`. A name that Lancet does not know, or that neither layers nor torch.fx call, is kept as it is set.
void AttributeChanges::setName(const std::string& path, const Value& value) {
    constexpr std::string_view kInit = "torch.nn.init.";
    if (path.starts_with(kInit)) // where its own functions find what the program sets
        return setAttribute(ownFile("torch.nn.init"), path.substr(kInit.size()), value);
    const Value known = resolve(path);
    const auto* traced = known.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    static constexpr std::string_view kUncalled[] = {"torch.save", "torch.load", "torch.compile", "torch.jit.script",
                                                     "torch.jit.trace"};
    const bool isFree = known.as<Opaque>() || (function && function->callable->opaque) || known.sameAs(value) ||
                        std::find(std::begin(kUncalled), std::end(kUncalled), path) != std::end(kUncalled);
    if (!isFree) requireOwnText(path);
    m_in.bridge().keep(path, value);
}

void AttributeChanges::passOn(Dict& names, SourceFile& file) {
    names.changed = [this, &file](const Value& key, const Value* value) {
        const auto* name = key.as<Str>();
        if (name && value) setAttribute(&file, name->text, *value);
        else if (name && run(file).names.find(name->text)) eraseAttribute(&file, name->text);
    };
}

void AttributeChanges::requireOtherDict(const Opaque& object) {
    constexpr std::string_view kDict = ".__dict__";
    static constexpr std::string_view kChanges[] = {"",       ".update",  ".setdefault",  ".pop",        ".popitem",
                                                    ".clear", ".__ior__", ".__setitem__", ".__delitem__"};
    const std::size_t at = object.path.rfind(kDict);
    if (at == std::string::npos) return;
    const std::string_view rest = std::string_view(object.path).substr(at + kDict.size());
    const bool isChange = std::find(std::begin(kChanges), std::end(kChanges), rest) != std::end(kChanges);
    if (isChange && importModule(object.path.substr(0, at), false).as<Space>())
        throw CannotFollow(Message("trace.replaced_name", {{"name", object.path.substr(0, at + kDict.size())}}));
}

void AttributeChanges::setAttribute(const Value& object, std::string_view name, const Value& value) {
    if (m_in.callRules) m_in.callRules->requireOwn(object, name);
    if (auto* instance = object.as<Instance>()) {
        if (name == "__class__") return setClass(*instance, value);
        if (name == "__dict__") return setDict(*instance, value);
        if (instance->type->isException && name.starts_with("__")) requireCause(name, value);
        Value* member = instance->type->find(name);
        if (auto* property = member ? member->as<Property>() : nullptr) {
            if (!property->setter.isSet())
                raise("AttributeError", "property '" + std::string(name) + "' of '" + instance->type->pathInFile() +
                                            "' object has no setter");
            call(property->setter, {object, value});
            return;
        }
        if (const Value set = member ? specialMethod(*member, "__set__") : Value(); set.isSet()) {
            call(set, {object, value});
            return;
        }
        if (Value* own = instance->type->find("__setattr__")) {
            call(bound(*own, object, instance->type), {text(std::string(name)), value});
            return;
        }
        if (instance->type->isFrozenRecord && instance->attributes.find("__made__"))
            raise("FrozenInstanceError", "cannot assign to field '" + std::string(name) + "'");
        if (instance->module) return m_in.modules().setModuleAttribute(*instance, name, value);
        if (instance->type == m_in.builtins().object())
            raise("AttributeError", "'object' object has no attribute '" + std::string(name) + "'");
        const auto* slots = slotsOf(*instance->type);
        const auto& fields = instance->type->fields;
        const bool isField =
            instance->type->isNamedTuple && std::find(fields.begin(), fields.end(), name) != fields.end();
        if ((slots && std::find(slots->begin(), slots->end(), name) == slots->end()) || isField)
            raise("AttributeError",
                  isField ? "can't set attribute"
                          : "'" + instance->type->name + "' object has no attribute '" + std::string(name) + "'");
        const Value* linked = instance->attributes.find("__dict__");
        if (linked && linked->as<Dict>()) return linked->as<Dict>()->set(text(std::string(name)), value);
        return instance->attributes.set(name, value);
    }
    if (auto* type = object.as<Class>()) {
        if (Value* own = type->metaclass ? type->metaclass->find("__setattr__") : nullptr; own && own->as<Function>()) {
            call(bound(*own, object, type->metaclass), {text(std::string(name)), value});
            return;
        }
        if (type->isEnum && isMember(*type, name))
            raise("AttributeError", "cannot reassign member '" + std::string(name) + "'");
        if (replacesReset(*type, name, value)) return;
        const bool isTensor = type == builtinClass("Tensor") || type == builtinClass("Parameter");
        const bool isPart = name.starts_with('_') || !type->isModule || type->find(name);
        if ((isTensor || !type->torchPath.empty() || isOfTorch(type->file)) && isPart)
            requireOwnText(type->name + "." + std::string(name));
        if (name == "__name__" && value.as<Str>()) return void(type->name = value.get<Str>().text);
        if (name == "__qualname__" && value.as<Str>()) return void(type->qualifiedName = value.get<Str>().text);
        return type->members.set(name, value);
    }
    if (auto* function = object.as<Function>()) return setFunction(*function, name, value);
    if (auto* file = object.as<SourceFile>()) {
        Names& names = run(*file).names;
        const Value* known = isOfTorch(file) ? names.find(name) : nullptr;
        const std::string path = file->name + "." + std::string(name);
        if (known && !noteReplacedInit(path, *known, value)) requireOwnText(path);
        return names.set(name, value);
    }
    if (auto* dict = object.as<Dict>(); dict && dict->factory.isSet() && name == "default_factory")
        return void(dict->factory = value);
    if (auto* dict = object.as<Dict>(); dict && dict->isOrdered) {
        if (!dict->attributes) dict->attributes = std::make_shared<Names>();
        return dict->attributes->set(name, value);
    }
    if (object.as<Opaque>()) return;
    if (const auto* space = object.as<Space>()) return setName(space->path + "." + std::string(name), value);
    if (const auto* changed = tensorIn(object)) {
        auto& tensor = const_cast<TensorRef&>(changed->object());
        if (name == "data" && changed->data) // of which the tensor itself sees nothing
            throw CannotFollow(Message("trace.unsupported_attribute_assignment", {{"value", "Tensor.data"}}));
        if (name == "data" && isProxy(value)) raise("TypeError", "Variable data has to be a tensor, but got Proxy");
        if (name == "data" && tensorIn(value) && tensor.requiresGrad)
            trace::requireDifferentiable(
                tensorIn(value)->tensor->dtype,
                "RuntimeError: data set to a tensor that requires gradients must be floating point or complex dtype");
        if (name == "data" && tensorIn(value)) {
            m_in.writesTensors |= traces();
            m_in.tensors().assignData(*changed, value);
        }
        if (name == "requires_grad") m_in.gradients.require(tensor, truth(value));
        if (name == "data" || name == "requires_grad") return;
        Marked& marked = m_marks[&tensor];
        marked.tensor = changed->data ? changed->data : changed->tensor;
        return marked.names.set(name, value);
    }
    if (isProxy(object)) { // a proxy is an object of Python, and records nothing of this
        auto& attributes = object.as<Traced>()->attributes;
        if (!attributes) attributes = std::make_unique<Names>();
        return attributes->set(name, value);
    }
    if (object.as<Native>()) return;
    if (!object.as<Traced>())
        raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + std::string(name) + "'");
    throw CannotFollow(Message("trace.unsupported_attribute_assignment", {{"value", repr(object)}}));
}

} // namespace fx::python

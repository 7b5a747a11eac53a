// SPDX-License-Identifier: GPL-3.0-or-later
// Types of values, and `isinstance`.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

std::string Types::viewName(const DictView& view) {
    static constexpr std::string_view kParts[] = {"keys", "values", "items"};
    return (view.dict->isOrdered ? "odict_" : "dict_") + std::string(kParts[static_cast<std::size_t>(view.kind)]);
}

Value Types::typeOf(const Value& value) {
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return builtinClass("NoneType");
    case Value::Kind::Bool: return builtinClass("bool");
    case Value::Kind::Int: return builtinClass("int");
    case Value::Kind::Float: return builtinClass("float");
    case Value::Kind::Object: break;
    }
    if (const auto* instance = value.as<Instance>()) return instance->type;
    if (TypeArguments::isAlias(value)) return m_in.typeArguments().classOf(value);
    if (value.as<Str>()) return builtinClass("str");
    if (value.as<List>()) return builtinClass("list");
    if (value.as<Tuple>()) return builtinClass(isSize(value) ? "__Size__" : "tuple");
    if (const auto* dict = value.as<Dict>())
        return builtinClass(dict->isOrdered ? "OrderedDict" : dict->factory.isSet() ? "defaultdict" : "dict");
    if (const auto* set = value.as<Set>()) return builtinClass(set->isFrozen ? "frozenset" : "set");
    if (const auto* view = value.as<DictView>()) return builtinClass(viewName(*view));
    if (value.as<SliceObject>()) return builtinClass("slice");
    if (value.as<RangeObject>()) return builtinClass("range");
    if (const auto* type = value.as<Class>()) {
        if (type->metaclass) return type->metaclass;
        return type->isEnum ? *run(*ownFile("enum")).names.find("EnumType") : builtinClass("type");
    }
    if (const auto* wrapper = value.as<Wrapper>()) {
        static constexpr std::string_view kWrappers[] = {"staticmethod", "classmethod", "cached_property"};
        return builtinClass(kWrappers[static_cast<std::size_t>(wrapper->kind)]);
    }
    if (value.as<Super>()) return builtinClass("super");
    if (value.as<Function>()) return builtinClass("function");
    if (value.as<Method>()) return builtinClass("method");
    if (value.as<Native>()) return builtinClass("builtin_function_or_method");
    if (const auto* iterator = value.as<Iterator>()) return builtinClass(iterator->type);
    if (value.as<Property>()) return builtinClass("property");
    if (value.as<SourceFile>() || value.as<Space>()) return builtinClass("module");
    if (isProxy(value))
        return *run(*ownFile("torch.fx")).names.find(value.get<Traced>().value.asLazy() ? "Attribute" : "Proxy");
    if (const auto* tensor = tensorIn(value))
        return builtinClass(tensor->object().isParameter ? "Parameter" : "Tensor");
    if (const auto* traced = value.as<Traced>()) {
        const auto* argument = traced->value.as<Argument>();
        const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
        if (constant && constant->kind == TorchConstant::Kind::Dtype) return resolve("torch.dtype");
        if (argument && argument->as<Device>()) return resolve("torch.device");
        if (argument && argument->as<Complex>()) return builtinClass("complex");
        if (argument && argument->as<EllipsisValue>()) return builtinClass("ellipsis");
        if (argument && argument->as<BigInt>()) return builtinClass("int");
        if (argument && argument->as<Bytes>()) return builtinClass("bytes");
        if (const auto* function = traced->value.as<trace::FunctionValue>()) switch (function->callable->kind) {
            case Callable::Kind::OpOverload: return builtinClass("OpOverload");
            case Callable::Kind::OpPacket: return builtinClass("OpOverloadPacket");
            case Callable::Kind::HigherOrderOp: return builtinClass("HigherOrderOperator");
            default: return builtinClass("function");
            }
    }
    return m_in.builtins().object();
}

namespace {
struct TypingAlias {
    std::string_view name, module, original;
    bool isCallable = false; ///< `typing.Deque()` makes one
};
/// Names of typing that stand for a class with another name or module; others stand for that of collections.abc.
constexpr TypingAlias kAliases[] = {{"List", "", "list"},
                                    {"Dict", "", "dict"},
                                    {"Tuple", "", "tuple"},
                                    {"Set", "", "set"},
                                    {"FrozenSet", "", "frozenset"},
                                    {"Type", "", "type"},
                                    {"Text", "", "str", true},
                                    {"DefaultDict", "", "defaultdict", true},
                                    {"OrderedDict", "", "OrderedDict", true},
                                    {"Counter", "collections", "Counter", true},
                                    {"Deque", "collections", "deque", true},
                                    {"ChainMap", "collections", "ChainMap", true},
                                    {"AbstractSet", "collections.abc", "Set"},
                                    {"ContextManager", "contextlib", "AbstractContextManager"},
                                    {"Pattern", "re", "Pattern"},
                                    {"Match", "re", "Match"}};
/// Names of typing that are no classes.
constexpr std::string_view kForms[] = {
    "Any",  "Union",     "Optional", "ClassVar",    "Final",       "Literal",   "NoReturn", "Never",
    "Self", "TypeAlias", "Required", "NotRequired", "Concatenate", "TypeGuard", "Unpack",   "LiteralString"};
bool isForm(std::string_view name) { return std::find(std::begin(kForms), std::end(kForms), name) != std::end(kForms); }
const TypingAlias* aliasOf(std::string_view name) {
    const auto* found = std::find_if(std::begin(kAliases), std::end(kAliases),
                                     [&](const TypingAlias& each) { return each.name == name; });
    return found == std::end(kAliases) ? nullptr : found;
}
} // namespace

Value Types::findTyping(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('.') + 1);
    const TypingAlias* alias = aliasOf(name);
    if (alias && alias->module.empty()) return builtinClass(alias->original);
    Scope& module = run(*ownFile(alias ? std::string(alias->module) : "collections.abc"));
    const Value* found = module.names.find(alias ? alias->original : name);
    return found && found->as<Class>() ? *found : Value();
}

Value Types::baseOfTyping(const std::string& path) {
    const std::string_view name = std::string_view(path).substr(path.rfind('.') + 1);
    if (isForm(name) && name != "Any") raise("TypeError", "Cannot subclass " + path);
    return name == "Callable" ? Value() : findTyping(path);
}

Value Types::classOfTyping(const std::string& path, std::string_view asking) {
    if (isForm(std::string_view(path).substr(path.rfind('.') + 1)))
        raise("TypeError", path + " cannot be used with " + std::string(asking) + "()");
    const Value found = findTyping(path);
    if (!found.isSet())
        throw trace::CannotFollow(
            Message("trace.not_computed", {{"function", std::string(asking) + "(" + path + ")"}}));
    return found;
}

Value Types::callTyping(const std::string& path, Values args, Keywords kwargs) {
    const std::string name = path.substr(path.rfind('.') + 1);
    if (name == "Any") raise("TypeError", "Any cannot be instantiated");
    if (isForm(name)) raise("TypeError", "Cannot instantiate " + path);
    const TypingAlias* alias = aliasOf(name);
    const Value found = findTyping(path);
    if (!found.isSet()) return heap().make<Opaque>(path + "()");
    if (alias && alias->isCallable) return call(found, std::move(args), std::move(kwargs));
    raise("TypeError",
          "Type " + name + " cannot be instantiated; use " + str(attribute(found, "__name__")) + "() instead");
}

namespace {
/// Whether a class of the program has the methods by which a class of collections.abc knows its own.
bool hasMethods(const Class& type, const Class& wanted) {
    const Value* names = wanted.members.find("__methods__");
    if (!names || !itemsOf(*names)) return false;
    const Values& methods = *itemsOf(*names);
    return std::all_of(methods.begin(), methods.end(), [&](const Value& each) {
        const Value* method = type.find(each.get<Str>().text);
        return method && !method->isNone();
    });
}
} // namespace

namespace {
/// What objects of a protocol have: what it and the protocols that it derives from define or annotate.
std::vector<std::string> membersOf(const Class& protocol) {
    static constexpr std::string_view kUnasked[] = {
        "__module__",   "__doc__",         "__dict__",  "__init__", "__new__",
        "__qualname__", "__annotations__", "__slots__", "__hash__", "_is_runtime_protocol"};
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(std::begin(kUnasked), std::end(kUnasked), name) == std::end(kUnasked)) names.push_back(name);
    };
    for (const Class* each : protocol.order) {
        if (!each->isProtocol) continue;
        for (const auto& [name, member] : each->members.items()) add(name);
        for (const auto& [name, kind] : each->annotated) add(name);
    }
    return names;
}
bool isMethod(const Class& protocol, const std::string& name) {
    const Value* member = protocol.find(name);
    return member && (member->as<Function>() || member->as<Wrapper>());
}
} // namespace

void Types::requireChecked(const Class& protocol) {
    if (!protocol.find("_is_runtime_protocol"))
        raise("TypeError", "Instance and class checks can only be used with @runtime_checkable protocols");
}

bool Types::isOfProtocol(const Value& value, Class& protocol) {
    requireChecked(protocol);
    const auto* type = typeOf(value).as<Class>();
    if (type && type->derivesFrom(&protocol)) return true;
    const auto names = membersOf(protocol);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const Value found = softAttribute(value, name);
        return found.isSet() && (!isMethod(protocol, name) || !found.isNone());
    });
}

/// Whether a class has the methods of a protocol.
bool Types::fulfils(Class& type, Class& protocol) {
    requireChecked(protocol);
    const auto names = membersOf(protocol);
    if (!std::all_of(names.begin(), names.end(), [&](const std::string& name) { return isMethod(protocol, name); }))
        raise("TypeError", "Protocols with non-method members don't support issubclass()");
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const Value found = softAttribute(&type, name);
        return found.isSet() && !found.isNone();
    });
}

namespace {
/// The classes of a tuple or of a union, one of which a value may have; null for other values.
const Values* choicesIn(const Value& type) {
    const auto* tuple = type.as<Tuple>();
    return tuple ? &tuple->items : TypeArguments::typesOf(type);
}
} // namespace

void Types::requireNoBases(const Value& value, const char* function) {
    if (value.as<Instance>() && softAttribute(value, "__bases__").isSet())
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", function}}));
}

bool Types::isSubclass(Class* type, const Value& of) {
    if (const Values* choices = choicesIn(of)) {
        const trace::Deeper deeper(" in __subclasscheck__");
        trace::charge(choices->size());
        return std::any_of(choices->begin(), choices->end(), [&](const Value& each) { return isSubclass(type, each); });
    }
    requireKnown(of);
    if (const auto* traced = of.as<Traced>())
        if (const auto* function = traced->value.as<trace::FunctionValue>();
            function && function->path.starts_with("typing."))
            return isSubclass(type, classOfTyping(function->path, "issubclass"));
    auto* wanted = of.as<Class>();
    requireNoBases(of, "issubclass");
    if (!wanted && !of.as<Traced>() && !of.isNone())
        raise("TypeError", "issubclass() arg 2 must be a class, a tuple of classes, or a union");
    if (!wanted || !type) return false;
    if (const Value own = specialMethod(of, "__subclasscheck__"); own.isSet()) return truth(call(own, {type}));
    if (wanted->isProtocol) requireChecked(*wanted);
    if (Value* hook = wanted->checksAbstract || wanted->isProtocol ? wanted->find("__subclasshook__") : nullptr)
        if (const Value made = call(bound(*hook, {}, wanted), {type}); !isNotImplemented(made)) return truth(made);
    if (type->derivesFrom(wanted)) return true;
    if (wanted->isProtocol && fulfils(*type, *wanted)) return true;
    for (const Class* registered : wanted->registered)
        if (type->derivesFrom(registered)) return true;
    const auto isBuiltinIn = [&](const Value& names) {
        return std::any_of(type->order.begin(), type->order.end(), [&](const Class* each) {
            const bool isBuiltin = !each->file || each->file->path.empty();
            return isBuiltin && contains(names, text(each->name));
        });
    };
    if (Value* refused = wanted->members.find("__refuses__")) { // Hashable
        if (const Value* own = type->find("__hash__")) return !own->isNone();
        if (type->unknownBase) requireKnown(type->unknownBase);
        return !isBuiltinIn(*refused);
    }
    const bool isOfProgram = type->file && !type->file->path.empty();
    if (isOfProgram && hasMethods(*type, *wanted)) return true;
    if (type->unknownBase) requireKnown(type->unknownBase);
    Value* abstract = wanted->members.find("__accepts__");
    return abstract && isBuiltinIn(*abstract);
}

bool Types::isInstance(const Value& value, const Value& type) {
    if (const Values* choices = choicesIn(type)) {
        const trace::Deeper deeper(" in __instancecheck__");
        trace::charge(choices->size());
        return std::any_of(choices->begin(), choices->end(),
                           [&](const Value& each) { return isInstance(value, each); });
    }
    if (!TypeArguments::isAlias(value)) requireKnown(value);
    requireKnown(type);
    if (type.isNone()) return value.isNone();
    if (isProxy(type)) raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
    if (const auto* traced = type.as<Traced>()) {
        const auto* function = traced->value.as<trace::FunctionValue>();
        const Value own = typeOf(value);
        const auto* ownClass = own.as<Traced>();
        const auto* mine = ownClass ? ownClass->value.as<trace::FunctionValue>() : nullptr;
        if (function && mine) return function->path == mine->path;
        if (function && function->path.starts_with("typing."))
            return isInstance(value, classOfTyping(function->path, "isinstance"));
        if (function && function->path == "torch.Size") return isSize(value);
        if (function && function->callable->name == "Callable")
            return value.as<Function>() || value.as<Class>() || value.as<Native>() || value.as<Method>();
        return false;
    }
    if (const Value own = specialMethod(type, "__instancecheck__"); own.isSet()) return truth(call(own, {value}));
    if (auto* protocol = type.as<Class>(); protocol && protocol->isProtocol) return isOfProtocol(value, *protocol);
    if (!type.as<Class>()) {
        requireNoBases(type, "isinstance");
        raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
    }
    if (type.as<Class>() == m_in.builtins().object()) return true; // also for dtypes, whose type is in no file
    if (isSubclass(typeOf(value).as<Class>(), type)) return true;
    const auto* object = value.as<Instance>(); // which may show another class
    const Value shown = object && object->type->find("__class__") ? softAttribute(value, "__class__") : Value();
    return shown.as<Class>() && isSubclass(shown.as<Class>(), type);
}

} // namespace fx::python

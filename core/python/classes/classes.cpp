// SPDX-License-Identifier: GPL-3.0-or-later
// `class`: base classes in order, what a body defines, abstract methods.
#include "core/ops/nn_modules.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

void Classes::orderBases(Class& type) {
    if (type.bases.size() == 1) {
        const auto& order = type.bases[0]->order;
        trace::chargeBytes(order.size() * sizeof(Class*));
        type.order = {&type};
        type.order.insert(type.order.end(), order.begin(), order.end());
        return;
    }
    std::vector<std::vector<Class*>> lists;
    for (Class* base : type.bases) lists.push_back(base->order);
    lists.push_back(type.bases);
    type.order = {&type};
    for (;;) {
        for (const auto& list : lists) trace::charge(list.size() / 16 * lists.size());
        std::erase_if(lists, [](const auto& list) { return list.empty(); });
        if (lists.empty()) return trace::chargeBytes(type.order.size() * sizeof(Class*));
        Class* next = nullptr;
        for (const auto& list : lists) {
            const bool isLater = std::any_of(lists.begin(), lists.end(), [&](const auto& other) {
                return std::find(other.begin() + 1, other.end(), list[0]) != other.end();
            });
            if (!isLater) {
                next = list[0];
                break;
            }
        }
        if (!next) {
            std::string names;
            for (const auto& list : lists)
                if (const std::string& name = list[0]->name; (", " + names + ",").find(", " + name + ",") == names.npos)
                    names += (names.empty() ? "" : ", ") + name;
            raise("TypeError", "Cannot create a consistent method resolution\norder (MRO) for bases " + names);
        }
        type.order.push_back(next);
        for (auto& list : lists)
            if (list[0] == next) list.erase(list.begin());
    }
}

void Classes::inherit(Class& type) {
    for (const Class* base : type.bases) {
        type.isModule |= base->isModule;
        type.isEnum |= base->isEnum;
        type.isException |= base->isException;
        type.isNamedTuple |= base->isNamedTuple;
        type.isGeneric |= base->isGeneric;
        if (!type.unknownBase) type.unknownBase = base->unknownBase;
    }
    orderBases(type);
    if (type.bases.size() > 1) checkLayout(type);
    for (Class* base : type.bases) base->derived.push_back(&type);
}

namespace {
/// Names that `__prepare__` of the metaclass gives to the body of a class.
void prepare(Interpreter& in, Class& type, const Keywords& keywords, Names& names) {
    Class* metaclass = nullptr;
    for (const Class* base : type.bases) metaclass = metaclass ? metaclass : base->metaclass;
    Keywords rest;
    for (const auto& [name, value] : keywords) {
        if (name == "metaclass") metaclass = value.as<Class>();
        else rest.emplace_back(name, value);
    }
    Value* own =
        metaclass && metaclass->file && !metaclass->file->path.empty() ? metaclass->find("__prepare__") : nullptr;
    if (!own) return;
    const Values bases(type.bases.begin(), type.bases.end());
    const Value made = in.call(in.attribute(metaclass, "__prepare__"), {in.text(type.name), in.tuple(bases)}, rest);
    const auto* space = made.as<Dict>();
    if (!space) throw CannotFollow(Message("trace.not_computed", {{"function", "__prepare__"}}));
    space->forEach([&](const Value& key, const Value& value) { names.set(in.str(key), value); });
}
} // namespace

namespace {
/// Whether a value is this name of typing.
bool isOfTyping(const Value& value, std::string_view name) { return TypeArguments::typingName(value) == name; }
} // namespace

Value Classes::defineClass(std::size_t head) {
    const py::Stmt& statement = stack().tree()[head];
    Class* type = heap().make<Class>();
    type->name = statement.text;
    type->qualifiedName = m_in.functions().qualified(type->name);
    type->file = stack().frame->file;
    type->head = head;
    for (const auto* base : statement.targets) {
        const bool isPart = base->kind == py::ExprKind::Starred || base->kind == py::ExprKind::Subscript;
        const Value value =
            baseClass(m_in.expressions().evaluateIn(isPart ? *base->items[0] : *base)); // `list[int]` derives from list
        if (const auto* lost = value.as<Opaque>(); lost && !lost->lostBy.empty())
            throw CannotFollow(unknownImport(*lost));
        if (Opaque* unknown = unknownBase(value)) type->unknownBase = unknown;
        type->isProtocol |= isOfTyping(value, "Protocol");
        type->isGeneric |= base->kind == py::ExprKind::Subscript || isOfTyping(value, "Generic") || type->isProtocol;
        if (value.isNumber() || value.as<Instance>() || value.as<Function>() || value.as<Str>()) // `__mro_entries__`
            throw CannotFollow(Message("trace.not_computed", {{"function", "class(" + typeName(value) + ")"}}));
        static constexpr std::string_view kFinal[] = {"bool",   "NoneType",  "function",
                                                      "method", "generator", "range",
                                                      "slice",  "ellipsis",  "builtin_function_or_method"};
        if (const auto* known = value.as<Class>();
            known && !known->file && std::find(std::begin(kFinal), std::end(kFinal), known->name) != std::end(kFinal))
            raise("TypeError", "type '" + known->name + "' is not an acceptable base type");
        static constexpr std::string_view kUnheld[] = {"bytes",        "complex",     "frozenset", "enumerate",
                                                       "zip",          "map",         "filter",    "reversed",
                                                       "staticmethod", "classmethod", "super"};
        if (const auto* known = value.as<Class>();
            known && !known->file &&
            std::find(std::begin(kUnheld), std::end(kUnheld), known->name) != std::end(kUnheld))
            throw CannotFollow(Message("trace.not_computed", {{"function", "class(" + known->name + ")"}}));
        if (auto* known = value.as<Class>();
            known && std::find(type->bases.begin(), type->bases.end(), known) == type->bases.end())
            type->bases.push_back(known);
    }
    if (type->bases.empty()) type->bases.push_back(m_in.builtins().object());
    for (const Class* base : type->bases)
        if (base->isEnum && base->membersByValue.size() > 0)
            raise("TypeError", "<enum '" + type->name + "'> cannot extend <enum '" + base->name + "'>");
    inherit(*type);
    Keywords keywords;
    for (const auto& argument : statement.arguments) {
        const Value value = m_in.expressions().evaluateIn(*argument.value);
        if (argument.name != "**") keywords.emplace_back(argument.name, value);
        else
            for (const Value& key : m_in.list(value)) keywords.emplace_back(m_in.str(key), m_in.item(value, key));
    }
    Scope* scope = heap().make<Scope>();
    scope->parent = stack().frame->scope->keep();
    scope->file = stack().frame->file;
    scope->isClass = true;
    Frame frame = *stack().frame;
    frame.scope = scope;
    struct Restore {
        Interpreter& in;
        Frame* before;
        Class* building;
        ~Restore() {
            in.stack().frame = before;
            in.stack().building = building;
        }
    };
    prepare(m_in, *type, keywords, scope->names);
    {
        const Restore restore{m_in, std::exchange(stack().frame, &frame), std::exchange(stack().building, type)};
        m_in.statements().runBody(head);
    }
    for (const auto& [name, value] : scope->names.items()) type->members.set(name, value);
    if (type->members.find("__eq__") && !type->members.find("__hash__")) type->members.set("__hash__", Value::none());
    if (const std::string* about = Functions::docstring(stack().tree(), head, stack().bodyEnd(head)))
        if (!type->members.find("__doc__")) type->members.set("__doc__", text(*about));
    for (const char* name : {"__init_subclass__", "__class_getitem__"}) // these are class methods by themselves
        if (Value* hook = type->members.find(name); hook && hook->as<Function>()) {
            Wrapper* method = heap().make<Wrapper>();
            method->kind = Wrapper::Kind::Class;
            method->function = *hook;
            type->members.set(name, method);
        }
    if (const Value* slots = type->members.find("__slots__"); slots && itemsOf(*slots))
        for (const Value& slot : *itemsOf(*slots))
            if (slot.as<Str>() && type->members.find(slot.get<Str>().text))
                raise("ValueError", repr(slot) + " in __slots__ conflicts with class variable");
    type->hasGetter = type->find("__getattribute__") != nullptr;
    if (type->isEnum) m_in.enums().finishEnum(*type);
    if (type->isNamedTuple) {
        // Annotations are fields only directly below typing.NamedTuple.
        const Class* record = *std::ranges::find_if(type->bases, [](const Class* each) { return each->isNamedTuple; });
        if (record != builtinClass("__NamedTuple__")) type->fields = record->fields;
        m_in.instances().nameFields(*type);
    }
    const bool isModule =
        type->name == "Module" || std::ranges::any_of(type->bases, [](const Class* each) { return each->isModule; });
    if (isModule && stack().frame->file->name == "torch.nn.modules") {
        const auto known = ops::findModuleNamed(type->name);
        type->isModule = true;
        type->torchPath = known ? std::string(known->path()) : "torch.nn.modules." + type->name;
        if (const Value* path = type->members.find("__path__")) type->torchPath = path->as<Str>()->text;
        else if (known) setConstants(*type, *known);
        if (known && !type->members.find("__init__")) addConstructor(*type);
    }
    findAbstract(*type, keywords);
    subclassed(*type, std::move(keywords));
    return type;
}

/// The unknown object that a class derives from, or null: of its methods and of those of its metaclass nothing is
/// known.
Opaque* Classes::unknownBase(const Value& base) {
    if (auto* unknown = base.as<Opaque>()) return unknown->type ? nullptr : unknown;
    const auto* traced = base.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    const bool isOfTorch = function && (function->path.starts_with("torch.") || function->path == "typing.TypedDict");
    return isOfTorch ? heap().make<Opaque>(function->path) : nullptr;
}

/// The class that `typing.List` has as a base; other values unchanged.
Value Classes::baseClass(const Value& value) {
    const auto* traced = value.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    if (!function || function->callable->module != "typing") return value;
    const Value found = m_in.types().baseOfTyping(function->path);
    return found.isSet() ? found : value;
}

/// Raises TypeError for a class whose objects would hold values of two built-in types.
void Classes::checkLayout(const Class& type) {
    static constexpr std::string_view kSolid[] = {"int",   "float", "str",      "list",   "dict",         "set",
                                                  "tuple", "type",  "property", "module", "BaseException"};
    std::size_t count = 0;
    for (const std::string_view name : kSolid) {
        const Class* solid = builtinClass(name);
        count += solid && type.derivesFrom(solid);
    }
    if (count > 1) raise("TypeError", "multiple bases have instance lay-out conflict");
}

namespace {
/// Returns true if the program has a `reset_parameters` for a class, its own or a layer, which the constructor of the
/// layer calls.
bool resetsByItself(Interpreter& in, const Class& own, const Class& layer, const Keywords& kwargs) {
    if (own.find("_reset_parameters") && (layer.name == "MultiheadAttention" || layer.name == "Transformer"))
        throw CannotFollow(
            Message("trace.unknown_method", {{"method", "_reset_parameters"}, {"value", own.pathInFile()}}));
    const Value *method = own.find("reset_parameters"), original = in.attributeChanges().originalReset(layer);
    const bool isGiven = std::ranges::any_of(kwargs, [](const auto& each) { return each.first == "_weight"; });
    return method && original.isSet() && !isGiven && !method->sameAs(original);
}
} // namespace

void Classes::addConstructor(Class& type) {
    Native* init = heap().make<Native>("__init__", [&type](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        auto& self = *args.at(0).as<Instance>();
        const bool resets = resetsByItself(in, *self.type, type, kwargs);
        const auto state = resets ? std::optional(in.moduleRandom->state()) : std::nullopt;
        in.modules().constructTorchModule(self, type, Values(args.begin() + 1, args.end()), kwargs);
        in.attributeChanges().requireOwnReset(type, !self.module->children.empty());
        if (!state || !self.module->children.empty()) return Value::none();
        in.moduleRandom->setState(*state); // the layer itself draws nothing
        in.call(in.attribute(args[0], "reset_parameters"), {});
        return Value::none();
    });
    init->constructs = &type;
    type.members.set("__init__", init);
}

void Classes::setConstants(Class& type, const ops::NnModule& known) {
    Values names;
    for (const std::string_view name : known.constants()) names.push_back(text(std::string(name)));
    if (!names.empty()) type.members.set("__constants__", listOf(std::move(names)));
}

namespace {
bool isAbstract(const Value& member) {
    const trace::Deeper deeper;
    if (const auto* property = member.as<Property>()) return isAbstract(property->getter);
    if (const auto* wrapper = member.as<Wrapper>()) return isAbstract(wrapper->function);
    const auto* function = member.as<Function>();
    return function && function->attributes.find("__isabstractmethod__");
}
} // namespace

/// Notes which abstract methods a class leaves open, if its metaclass is ABCMeta.
void Classes::findAbstract(Class& type, const Keywords& keywords) {
    std::vector<std::string> names;
    for (const Class* base : type.bases) {
        type.checksAbstract |= base->checksAbstract;
        if (!type.metaclass) type.metaclass = base->metaclass;
        names.insert(names.end(), base->abstract.begin(), base->abstract.end());
    }
    std::vector<std::string> open; // abstract methods of collections.abc, which Lancet's text only names
    for (const Class* each : type.order)
        if (const Value* listed = each->members.find("__abstract__"); listed && listed->as<List>()) {
            type.checksAbstract = true;
            for (const Value& name : listed->get<List>().items) open.push_back(str(name));
        }
    for (const auto& [name, value] : keywords)
        if (name == "metaclass") {
            auto* metaclass = value.as<Class>();
            if (metaclass && metaclass->file) type.metaclass = metaclass;
            type.checksAbstract |= metaclass && std::any_of(metaclass->order.begin(), metaclass->order.end(),
                                                            [](const Class* each) { return each->name == "ABCMeta"; });
        }
    if (!type.checksAbstract) return;
    for (const auto& [name, value] : type.members.items()) names.push_back(name);
    names.insert(names.end(), open.begin(), open.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) {
        const Value* member = type.find(name);
        const bool isOpen = !member && std::find(open.begin(), open.end(), name) != open.end();
        if (isOpen || (member && isAbstract(*member))) type.abstract.push_back(name);
    }
}

/// Calls `__set_name__` of a member. Raises RuntimeError for what that raises.
void Classes::nameMember(Class& type, const std::string& name, const Value& member, const Value& hook) {
    Frame* const frame = stack().frame;
    Class* const building = stack().building;
    Value cause;
    try {
        call(hook, {&type, text(name)});
        return;
    } catch (const Raised& raised) { cause = raised.exception; }
    stack().frame = frame;
    stack().building = building;
    const Value error = instantiate(builtinClass("RuntimeError"),
                                    {text("Error calling __set_name__ on '" + typeName(member) + "' instance " +
                                          repr(text(name)) + " in '" + type.name + "'")},
                                    {});
    for (const char* part : {"__cause__", "__context__"}) error.get<Instance>().attributes.set(part, cause);
    throw Raised{error};
}

/// What Python calls when a class is there: `__set_name__` of its members, `__init_subclass__` of its bases.
void Classes::subclassed(Class& type, Keywords keywords) {
    std::erase_if(keywords, [](const auto& each) { return each.first == "metaclass"; });
    const auto members = type.members.items();
    for (const auto& [name, value] : members)
        if (const Value hook = specialMethod(value, "__set_name__"); hook.isSet()) nameMember(type, name, value, hook);
    for (std::size_t i = 1; i < type.order.size(); ++i)
        if (Value* hook = type.order[i]->members.find("__init_subclass__")) {
            call(bound(*hook, {}, &type), {}, keywords);
            break;
        }
    if (type.metaclass && !type.isEnum) finishByMetaclass(type, keywords);
}

/// `__new__` and `__init__` of the metaclass, which get the class as it is: `type.__new__` returns it.
void Classes::finishByMetaclass(Class& type, const Keywords& keywords) {
    Dict* members = heap().make<Dict>();
    for (const auto& [name, value] : type.members.items()) members->set(text(name), value);
    const Values about{text(type.name), tuple(Values(type.bases.begin(), type.bases.end())), members};
    const auto tell = [&](const char* name, const Value& first) {
        Value* own = type.metaclass->find(name);
        const Value function = own && own->as<Wrapper>() ? own->as<Wrapper>()->function : own ? *own : Value();
        if (!function.as<Function>()) return;
        Values args{first};
        args.insert(args.end(), about.begin(), about.end());
        const Value made = call(function, std::move(args), keywords);
        if (std::string_view(name) == "__new__" && !made.sameAs(&type))
            throw CannotFollow(Message("trace.not_computed", {{"function", type.metaclass->name + ".__new__"}}));
    };
    Class* const before = std::exchange(m_finishing, &type);
    struct Restore {
        Class*& finishing;
        Class* before;
        ~Restore() { finishing = before; }
    } restore{m_finishing, before};
    tell("__new__", type.metaclass);
    tell("__init__", &type);
}

Value Classes::superOfClass(Class& type, std::string_view name) {
    if (name == "__new__" && type.derivesFrom(builtinClass("type")))
        return native("__new__", [](Interpreter& in, Values& args, Keywords&) -> Value {
            if (!in.classes().m_finishing) {
                const Value made = in.call(*in.builtin("type"), Values(args.begin() + 1, args.end()));
                if (auto* metaclass = args[0].as<Class>(); metaclass && metaclass->file && made.as<Class>())
                    made.get<Class>().metaclass = metaclass;
                return made;
            }
            if (const auto* members = args.size() > 3 ? args[3].as<Dict>() : nullptr)
                members->forEach([&](const Value& key, const Value& value) {
                    in.classes().m_finishing->members.set(in.str(key), value);
                });
            return in.classes().m_finishing;
        });
    if (name == "__call__" && type.metaclass)
        return native("__call__", [&type](Interpreter& in, Values& args, Keywords& kwargs) {
            return type.isEnum ? in.enums().called(type, args, kwargs) : in.instantiate(&type, args, kwargs);
        });
    return {};
}

} // namespace fx::python

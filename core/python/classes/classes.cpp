// SPDX-License-Identifier: GPL-3.0-or-later
// `class`: base classes in order, what a body defines, abstract methods.
#include "core/ops/nn_modules.h"
#include "core/python/interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

/// The C3 order of a class and its bases.
void Interpreter::orderBases(Class& type) {
    std::vector<std::vector<Class*>> lists;
    for (Class* base : type.bases) lists.push_back(base->order);
    lists.push_back(type.bases);
    type.order = {&type};
    for (;;) {
        std::erase_if(lists, [](const auto& list) { return list.empty(); });
        if (lists.empty()) return;
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
        if (!next) raise("TypeError", "Cannot create a consistent method resolution order (MRO) for bases");
        type.order.push_back(next);
        for (auto& list : lists)
            if (list[0] == next) list.erase(list.begin());
    }
}

/// What a class has by its bases.
void Interpreter::inherit(Class& type) {
    for (const Class* base : type.bases) {
        type.isModule |= base->isModule;
        type.isEnum |= base->isEnum;
        type.isException |= base->isException;
        type.isNamedTuple |= base->isNamedTuple;
    }
    orderBases(type);
}

Value Interpreter::defineClass(std::size_t head) {
    const py::Stmt& statement = tree()[head];
    Class* type = m_heap.make<Class>();
    type->name = statement.text;
    type->qualifiedName = qualified(type->name);
    type->file = m_frame->file;
    type->head = head;
    for (const auto* base : statement.targets) {
        const Value value = evaluateIn(base->kind == py::ExprKind::Starred ? *base->items[0] : *base);
        if (const auto* lost = value.as<Opaque>(); lost && lost->isLost) throw CannotFollow(unknownImport(lost->path));
        if (auto* known = value.as<Class>();
            known && std::find(type->bases.begin(), type->bases.end(), known) == type->bases.end())
            type->bases.push_back(known);
    }
    if (type->bases.empty()) type->bases.push_back(m_object);
    if (type->bases.size() > 1) std::erase(type->bases, m_object);
    inherit(*type);
    Scope* scope = m_heap.make<Scope>();
    scope->parent = m_frame->scope->keep();
    scope->file = m_frame->file;
    scope->isClass = true;
    Frame frame = *m_frame;
    frame.scope = scope;
    struct Restore {
        Interpreter& in;
        Frame* before;
        Class* building;
        ~Restore() {
            in.m_frame = before;
            in.m_building = building;
        }
    };
    {
        const Restore restore{*this, std::exchange(m_frame, &frame), std::exchange(m_building, type)};
        runBody(head);
    }
    for (const auto& [name, value] : scope->names.items()) type->members.set(name, value);
    if (const std::string* about = docstring(tree(), head, bodyEnd(head)))
        if (!type->members.find("__doc__")) type->members.set("__doc__", text(*about));
    for (const char* name : {"__init_subclass__", "__class_getitem__"}) // these are class methods by themselves
        if (Value* hook = type->members.find(name); hook && hook->as<Function>()) {
            Wrapper* method = m_heap.make<Wrapper>();
            method->kind = Wrapper::Kind::Class;
            method->function = *hook;
            type->members.set(name, method);
        }
    type->hasGetter = type->find("__getattribute__") != nullptr;
    if (type->isEnum) finishEnum(*type);
    if (type->isNamedTuple && type->fields.empty()) type->fields = type->bases[0]->fields;
    if (type->isNamedTuple) nameFields(*type);
    if (m_frame->file->name == "torch.nn.modules") {
        const auto known = ops::findModule("torch.nn." + type->name);
        type->isModule = true;
        type->torchPath = known ? std::string(known->path()) : "torch.nn.modules." + type->name;
        if (const Value* path = type->members.find("__path__")) type->torchPath = path->as<Str>()->text;
        if (known && !type->members.find("__init__"))
            type->members.set("__init__",
                              native("__init__", [type](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
                                  in.constructTorchModule(*args.at(0).as<Instance>(), *type,
                                                          Values(args.begin() + 1, args.end()), kwargs);
                                  return Value::none();
                              }));
    }
    findAbstract(*type, statement);
    subclassed(*type, statement);
    return type;
}

namespace {
bool isAbstract(const Value& member) {
    if (const auto* property = member.as<Property>()) return isAbstract(property->getter);
    if (const auto* wrapper = member.as<Wrapper>()) return isAbstract(wrapper->function);
    const auto* function = member.as<Function>();
    return function && function->attributes.find("__isabstractmethod__");
}
} // namespace

/// Notes which abstract methods a class leaves open, if its metaclass is ABCMeta.
void Interpreter::findAbstract(Class& type, const py::Stmt& statement) {
    std::vector<std::string> names;
    for (const Class* base : type.bases) {
        type.checksAbstract |= base->checksAbstract;
        if (!type.metaclass) type.metaclass = base->metaclass;
        names.insert(names.end(), base->abstract.begin(), base->abstract.end());
    }
    for (const auto& argument : statement.arguments)
        if (argument.name == "metaclass") {
            auto* metaclass = evaluateIn(*argument.value).as<Class>();
            if (metaclass && metaclass->file && !metaclass->file->path.empty()) type.metaclass = metaclass;
            type.checksAbstract |= metaclass && std::any_of(metaclass->order.begin(), metaclass->order.end(),
                                                            [](const Class* each) { return each->name == "ABCMeta"; });
        }
    if (!type.checksAbstract) return;
    for (const auto& [name, value] : type.members.items()) names.push_back(name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names)
        if (const Value* member = type.find(name); member && isAbstract(*member)) type.abstract.push_back(name);
}

/// What Python calls when a class is there: `__set_name__` of its members, `__init_subclass__` of its bases.
void Interpreter::subclassed(Class& type, const py::Stmt& statement) {
    const auto members = type.members.items();
    for (const auto& [name, value] : members)
        if (const Value hook = specialMethod(value, "__set_name__"); hook.isSet()) call(hook, {&type, text(name)});
    Keywords keywords;
    for (const auto& argument : statement.arguments)
        if (argument.name != "metaclass") keywords.emplace_back(argument.name, evaluateIn(*argument.value));
    for (std::size_t i = 1; i < type.order.size(); ++i)
        if (Value* hook = type.order[i]->members.find("__init_subclass__")) {
            call(bound(*hook, {}, &type), {}, keywords);
            break;
        }
    if (type.metaclass && !type.isEnum) finishByMetaclass(type, keywords);
}

/// `__new__` and `__init__` of the metaclass, which get the class as it is: `type.__new__` returns it.
void Interpreter::finishByMetaclass(Class& type, const Keywords& keywords) {
    Dict* members = m_heap.make<Dict>();
    for (const auto& [name, value] : type.members.items()) members->set(text(name), value);
    const Values about{text(type.name), tuple(Values(type.bases.begin(), type.bases.end())), members};
    const auto tell = [&](const char* name, const Value& first) {
        Value* own = type.metaclass->find(name);
        const Value function = own && own->as<Wrapper>() ? own->as<Wrapper>()->function : own ? *own : Value();
        if (!function.as<Function>()) return;
        Values args{first};
        args.insert(args.end(), about.begin(), about.end());
        call(function, std::move(args), keywords);
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

/// What `super()` in a method of a metaclass has of `type`; unset for other names.
Value Interpreter::superOfClass(Class& type, std::string_view name) {
    if (name == "__new__" && type.derivesFrom(builtinClass("type")))
        return native("__new__", [](Interpreter& in, Values& args, Keywords&) -> Value {
            if (!in.m_finishing) return in.call(*in.builtin("type"), Values(args.begin() + 1, args.end()));
            if (const auto* members = args.size() > 3 ? args[3].as<Dict>() : nullptr)
                members->forEach(
                    [&](const Value& key, const Value& value) { in.m_finishing->members.set(in.str(key), value); });
            return in.m_finishing;
        });
    if (name == "__call__" && type.metaclass)
        return native("__call__", [&type](Interpreter& in, Values& args, Keywords& kwargs) {
            return in.instantiate(&type, args, kwargs);
        });
    return {};
}

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
// Classes and their instances: base classes in order, records, enums, functions with their decorators.
#include "core/python/interpreter.h"

#include "core/base/digits.h"
#include "core/ops/nn_modules.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

void Interpreter::define(std::size_t head) {
    const auto decorators = std::exchange(m_decorators, {});
    std::vector<Value> applied;
    for (const auto* decorator : decorators) applied.push_back(evaluateIn(*decorator));
    Value made = tree()[head].kind == py::StmtKind::Def ? defineFunction(head) : defineClass(head);
    for (auto each = applied.rbegin(); each != applied.rend(); ++each) made = decorated(*each, made);
    bind(tree()[head].text, made);
}

/// What a decorator makes of a function or class. One that cannot be followed is an error when what it decorates is
/// used, unless it only writes documentation.
Value Interpreter::decorated(const Value& decorator, const Value& made) {
    auto* function = made.as<Function>();
    auto* type = made.as<Class>();
    if (!function && !type) return call(decorator, {made});
    std::optional<Message>& lost = function ? function->lostDecorator : type->lostDecorator;
    const std::string& name = function ? function->qualifiedName : type->name;
    struct Restore {
        Interpreter& in;
        Frame* frame;
        Class* building;
        ~Restore() {
            in.m_frame = frame;
            in.m_building = building;
        }
    } const restore{*this, m_frame, m_building};
    const auto fails = [&](const std::string& why) {
        if (!onlyDocuments(decorator)) lost = Message("trace.decorator_failed", {{"name", name}, {"reason", why}});
    };
    try {
        if (const auto* unknown = decorator.as<Opaque>())
            lost = Message("trace.decorator_unknown", {{"name", name}, {"decorator", unknown->path}});
        else return call(decorator, {made});
    } catch (const Raised& raised) { fails(describe(raised)); } catch (const trace::Stop& stop) {
        if (stop.message().is("trace.too_many_steps")) throw;
        fails(stop.message().text());
    }
    failedIn.clear();
    return made;
}

namespace {
/// The text that a body begins with, or null.
const std::string* docstring(const py::SourceTree& tree, std::size_t head, std::size_t end) {
    if (head + 1 >= end) return nullptr;
    const py::Stmt& first = tree[head + 1];
    if (first.kind != py::StmtKind::Expression || first.value->kind != py::ExprKind::Constant) return nullptr;
    return first.value->constant->as<std::string>();
}
} // namespace

Value Interpreter::documentation(const Function& function) {
    if (function.lambda || !function.file) return Value::none();
    const std::string* text = docstring(*function.file->tree, function.head, function.file->ends[function.head]);
    return text ? this->text(*text) : Value::none();
}

Value Interpreter::defineFunction(std::size_t head) {
    const py::Stmt& statement = tree()[head];
    Function* function = m_heap.make<Function>();
    function->name = statement.text;
    function->owner = m_frame->scope->isClass ? m_building : m_frame->function ? m_frame->function->owner : nullptr;
    function->qualifiedName = (m_frame->scope->isClass && m_building ? m_building->name + "." : "") + function->name;
    function->file = m_frame->file;
    function->head = head;
    function->parameters = statement.parameters;
    function->defaults = defaultsOf(statement.parameters, *m_frame->scope);
    function->closure = m_frame->scope->keep();
    for (std::size_t at = head + 1, end = bodyEnd(head); at < end && !function->yields;) {
        const py::Stmt& each = tree()[at];
        if (each.kind == py::StmtKind::Def || each.kind == py::StmtKind::Class) {
            at = bodyEnd(at);
            continue;
        }
        function->yields = each.value && each.value->kind == py::ExprKind::Yield;
        ++at;
    }
    return function;
}

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
    type->file = m_frame->file;
    type->head = head;
    for (const auto* base : statement.targets) {
        const Value value = evaluateIn(base->kind == py::ExprKind::Starred ? *base->items[0] : *base);
        if (const auto* lost = value.as<Opaque>(); lost && lost->isLost)
            throw CannotFollow(Message("trace.unknown_import", {{"name", lost->path}}));
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
        names.insert(names.end(), base->abstract.begin(), base->abstract.end());
    }
    for (const auto& argument : statement.arguments)
        if (argument.name == "metaclass") {
            const auto* metaclass = evaluateIn(*argument.value).as<Class>();
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
            call(bound(*hook, {}, &type), {}, std::move(keywords));
            return;
        }
}

/// What `auto()` stands for where the name decides it; numbers are known in the body already.
Value Interpreter::automaticValue(Class& type, const std::string& name, const Values& before) {
    if (const Value* rule = type.find("_generate_next_value_")) {
        const auto* wrapper = rule->as<Wrapper>();
        return call(wrapper ? wrapper->function : *rule,
                    {text(name), Value(std::int64_t{1}), Value::integerOf(before.size()), listOf(before)});
    }
    if (!type.derivesFrom(builtinClass("str"))) {
        const bool isCounted = !before.empty() && before.back().isInt();
        return Value(isCounted ? before.back().asInt() + 1 : std::int64_t{1});
    }
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text(lower);
}

namespace {
/// Python looks such values up by their hash; others by comparing.
bool hasHash(const Value& value) {
    if (value.kind != Value::Kind::Object) return true;
    if (const auto* tuple = value.as<Tuple>()) return std::all_of(tuple->items.begin(), tuple->items.end(), hasHash);
    return value.as<Str>() || value.as<Class>() || value.as<Native>();
}
} // namespace

Instance* Interpreter::memberOf(Class& type, const Value& value) {
    const Value& wanted = plain(value);
    if (hasHash(wanted)) {
        const Value* found = type.membersByValue.find(wanted);
        if (found) return found->as<Instance>();
    }
    for (const auto& [name, each] : type.members.items())
        if (auto* instance = each.as<Instance>(); instance && instance->type == &type) {
            if (instance == value.as<Instance>()) return instance;
            const Value* own = instance->attributes.find("_value_");
            if (own && (!hasHash(wanted) || !hasHash(*own)) && equal(*own, value)) return instance;
        }
    return nullptr;
}

Instance* Interpreter::enumMember(Class& type, const Value& name, const Value& value) {
    Instance* member = m_heap.make<Instance>();
    member->type = &type;
    for (const char* key : {"value", "_value_"}) member->attributes.set(key, value);
    for (const char* key : {"name", "_name_"}) member->attributes.set(key, name);
    if (type.derivesFrom(builtinClass("str")) || type.derivesFrom(builtinClass("int"))) member->payload = value;
    if (hasHash(plain(value))) type.membersByValue.set(plain(value), member);
    return member;
}

namespace {
/// As enum.bin shows bits, with leading zeros up to `width`.
std::string bitsOf(std::int64_t value, std::size_t width) {
    const std::string bits = digitsOf(static_cast<std::uint64_t>(value), 1);
    return "0b0 " + std::string(width - std::min(width, bits.size()), '0') + bits;
}
} // namespace

/// The member of a Flag that has several bits, or none: it has no name of its own in the class.
Instance* Interpreter::joinedFlag(Class& type, std::int64_t bits) {
    std::string name;
    std::int64_t known = 0, highest = 0;
    const Values members = list(&type);
    for (const Value& each : members) {
        const Instance& member = *each.as<Instance>();
        const std::int64_t bit = member.attributes.find("_value_")->asInt();
        known |= bit;
        highest = std::max(highest, bit);
        if (bits >= 0 && (bit & bits)) name += (name.empty() ? "" : "|") + str(*member.attributes.find("name"));
    }
    if (bits < 0) { // Python takes the bits that the others leave
        const Value positive(known & bits);
        if (Instance* same = memberOf(type, positive)) return same;
        return joinedFlag(type, positive.asInt());
    }
    if (const std::int64_t unknown = bits & ~known) {
        if (!truth(*type.find("_keeps_unknown_"))) {
            const std::size_t width = digitsOf(static_cast<std::uint64_t>(std::max(bits, highest)), 1).size();
            raise("ValueError", "<flag '" + type.name + "'> invalid value " + std::to_string(bits) + "\n    given " +
                                    bitsOf(bits, width) + "\n  allowed " + bitsOf(known, width));
        }
        if (!name.empty()) name += "|" + std::to_string(unknown);
    }
    return enumMember(type, name.empty() ? Value::none() : text(name), Value(bits));
}

/// `Enum('Colour', 'RED GREEN')`: names in a text, a list, pairs or a dict.
Class* Interpreter::enumOf(Class& base, const std::string& name, const Value& given) {
    Class* type = m_heap.make<Class>();
    type->name = name;
    type->file = m_frame->file;
    type->bases = {&base};
    inherit(*type);
    Values names;
    if (const auto* words = given.as<Str>()) {
        std::string spaced = words->text;
        std::replace(spaced.begin(), spaced.end(), ',', ' ');
        names = list(call(attribute(text(spaced), "split"), {}));
    } else {
        names = list(given.as<Dict>() ? call(attribute(given, "items"), {}) : given);
    }
    const bool isFlag = type->find("_is_flag_") != nullptr;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto* pair = names[i].as<Tuple>();
        const Value number(isFlag ? std::int64_t{1} << i : static_cast<std::int64_t>(i + 1));
        type->members.set(str(pair ? pair->items.at(0) : names[i]), pair ? pair->items.at(1) : number);
    }
    finishEnum(*type);
    return type;
}

void Interpreter::finishEnum(Class& type) {
    Values values;
    const auto members = type.members.items();
    for (const auto& entry : members) {
        const std::string& name = entry.first;
        const Value& given = entry.second;
        if (name.starts_with("_") || given.as<Function>() || given.as<Wrapper>() || given.as<Property>()) continue;
        Value value = given;
        if (const auto* marker = value.as<Opaque>(); marker && marker->path == "enum.auto")
            value = automaticValue(type, name, values);
        values.push_back(value);
        if (Instance* same = memberOf(type, value)) { // another name of that member
            type.members.set(name, same);
            continue;
        }
        Instance* member = enumMember(type, text(name), value);
        type.members.set(name, member);
        if (Value* init = type.find("__init__"); init && init->as<Function>())
            call(bound(*init, member, &type), value.as<Tuple>() ? value.as<Tuple>()->items : Values{value});
    }
}

// ── instances ────────────────────────────────────────────────────────────────────────────────────────────────────

Value Interpreter::instantiate(Class* type, Values args, Keywords kwargs) {
    step(m_here.offset);
    if (type->isNamedTuple) return makeNamedTuple(*type, std::move(args), std::move(kwargs));
    if (!type->abstract.empty()) {
        std::string names;
        for (const std::string& name : type->abstract) names += (names.empty() ? "" : ", ") + name;
        raise("TypeError", "Can't instantiate abstract class " + type->name + " with abstract method" +
                               (type->abstract.size() > 1 ? "s " : " ") + names);
    }
    if (Value* create = type->find("__new__"); create && (create->as<Function>() || create->as<Wrapper>())) {
        const Value function = create->as<Wrapper>() ? create->as<Wrapper>()->function : *create;
        Values all{Value(type)};
        all.insert(all.end(), args.begin(), args.end());
        const Value made = call(function, std::move(all), kwargs);
        auto* instance = made.as<Instance>();
        if (instance && instance->type->derivesFrom(type))
            initialise(*instance, *instance->type, std::move(args), std::move(kwargs));
        return made;
    }
    Instance* self = bare(*type);
    initialise(*self, *type, std::move(args), std::move(kwargs));
    return self;
}

void Interpreter::nameClass(Module& module, const Class& type) {
    module.className = type.name;
    module.classModule = type.file ? type.file->name : "";
    if (!type.torchPath.empty()) module.classModule = type.torchPath.substr(0, type.torchPath.rfind('.'));
}

/// An instance whose `__init__` has not run: `object.__new__`.
Instance* Interpreter::bare(Class& type) {
    Instance* self = m_heap.make<Instance>();
    self->type = &type;
    if (type.lostDecorator) throw CannotFollow(*type.lostDecorator);
    if (!type.isModule) return self;
    self->module = std::make_shared<Module>();
    nameClass(*self->module, type);
    m_instances.emplace(self->module.get(), self);
    m_modules.push_back(self);
    return self;
}

void Interpreter::initialise(Instance& self, Class& type, Values args, Keywords kwargs) {
    Class* const plainTypes[] = {builtinClass("dict"),  builtinClass("list"),    builtinClass("str"),
                                 builtinClass("int"),   builtinClass("float"),   builtinClass("set"),
                                 builtinClass("tuple"), builtinClass("property")};
    Value* init = type.find("__init__");
    for (Class* each : plainTypes) {
        if (!type.derivesFrom(each)) continue;
        const bool own = init && init->as<Function>();
        const bool wantsArgs = each == builtinClass("property");
        // What cannot change gets its value from `__new__`, the rest from `__init__`.
        const bool isFixed =
            each != builtinClass("dict") && each != builtinClass("list") && each != builtinClass("set");
        if (own && isFixed && !wantsArgs)
            self.payload = call(each, Values(args.begin(), args.begin() + (args.empty() ? 0 : 1)));
        else self.payload = own && !wantsArgs ? call(each, {}) : call(each, args, kwargs);
        if (auto* dict = self.payload.as<Dict>();
            dict && !own && type.derivesFrom(builtinClass("defaultdict")) && !args.empty())
            dict->factory = args[0];
        if (!own) return;
    }
    if (type.isException) self.attributes.set("args", tuple(args));
    if (type.isException && type.derivesFrom(builtinClass("StopIteration")))
        self.attributes.set("value", args.empty() ? Value::none() : args[0]);
    if (init) {
        call(bound(*init, &self, &type), std::move(args), std::move(kwargs));
    } else if (!type.isException && (!args.empty() || !kwargs.empty())) {
        raise("TypeError", type.name + "() takes no arguments");
    }
}

void Interpreter::nameFields(Class& type) {
    Values names;
    for (const std::string& field : type.fields) names.push_back(text(field));
    type.members.set("_fields", tuple(std::move(names)));
    Dict* defaults = m_heap.make<Dict>();
    for (const std::string& field : type.fields)
        if (const Value* otherwise = type.find(field)) defaults->set(text(field), *otherwise);
    type.members.set("_field_defaults", defaults);
}

Value Interpreter::makeNamedTuple(Class& type, Values args, Keywords kwargs) {
    Instance* self = m_heap.make<Instance>();
    self->type = &type;
    Values items;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        Value value = i < args.size() ? args[i] : Value();
        for (const auto& [key, given] : kwargs)
            if (key == type.fields[i]) value = given;
        if (!value.isSet())
            if (Value* otherwise = type.find(type.fields[i])) value = *otherwise;
        if (!value.isSet())
            raise("TypeError", type.name + ".__new__() missing required argument: '" + type.fields[i] + "'");
        self->attributes.set(type.fields[i], value);
        items.push_back(value);
    }
    if (args.size() > type.fields.size())
        raise("TypeError",
              type.name + ".__new__() takes " + std::to_string(type.fields.size() + 1) + " positional arguments");
    self->payload = tuple(std::move(items));
    return self;
}

Value Interpreter::specialMethod(const Value& object, std::string_view name) {
    auto* instance = object.as<Instance>();
    if (!instance) return {};
    Value* member = instance->type->find(name);
    if (!member || (!member->as<Function>() && !member->as<Native>())) return {};
    return bound(*member, object, instance->type);
}

std::string Interpreter::viewName(const DictView& view) {
    static constexpr std::string_view kParts[] = {"keys", "values", "items"};
    return (view.dict->isOrdered ? "odict_" : "dict_") + std::string(kParts[static_cast<std::size_t>(view.kind)]);
}

Value Interpreter::typeOf(const Value& value) {
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return builtinClass("NoneType");
    case Value::Kind::Bool: return builtinClass("bool");
    case Value::Kind::Int: return builtinClass("int");
    case Value::Kind::Float: return builtinClass("float");
    case Value::Kind::Object: break;
    }
    if (const auto* instance = value.as<Instance>()) return instance->type;
    if (value.as<Str>()) return builtinClass("str");
    if (value.as<List>()) return builtinClass("list");
    if (value.as<Tuple>()) return builtinClass("tuple");
    if (const auto* dict = value.as<Dict>())
        return builtinClass(dict->isOrdered ? "OrderedDict" : dict->factory.isSet() ? "defaultdict" : "dict");
    if (const auto* set = value.as<Set>()) return builtinClass(set->isFrozen ? "frozenset" : "set");
    if (const auto* view = value.as<DictView>()) return builtinClass(viewName(*view));
    if (value.as<SliceObject>()) return builtinClass("slice");
    if (value.as<RangeObject>()) return builtinClass("range");
    if (value.as<Class>()) return builtinClass("type");
    if (value.as<Function>()) return builtinClass("function");
    if (value.as<Method>()) return builtinClass("method");
    if (value.as<Native>()) return builtinClass("builtin_function_or_method");
    if (value.as<Iterator>()) return builtinClass("generator");
    if (value.as<Property>()) return builtinClass("property");
    if (value.as<SourceFile>() || value.as<Space>()) return builtinClass("module");
    if (isProxy(value)) return builtinClass("Proxy");
    if (const auto* tensor = tensorIn(value)) return builtinClass(tensor->tensor->isParameter ? "Parameter" : "Tensor");
    if (const auto* traced = value.as<Traced>()) {
        const auto* argument = traced->value.as<Argument>();
        const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
        if (constant && constant->kind == TorchConstant::Kind::Dtype) return resolve("torch.dtype");
        if (argument && argument->as<Device>()) return resolve("torch.device");
        if (argument && argument->as<Complex>()) return builtinClass("complex");
        if (argument && argument->as<BigInt>()) return builtinClass("int");
        if (argument && argument->as<Bytes>()) return builtinClass("bytes");
        if (const auto* function = traced->value.as<trace::FunctionValue>()) switch (function->callable->kind) {
            case Callable::Kind::OpOverload: return builtinClass("OpOverload");
            case Callable::Kind::OpPacket: return builtinClass("OpOverloadPacket");
            case Callable::Kind::HigherOrderOp: return builtinClass("HigherOrderOperator");
            default: return builtinClass("function");
            }
    }
    return m_object;
}

bool Interpreter::isSubclass(Class* type, const Value& of) {
    if (const auto* tuple = of.as<Tuple>())
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isSubclass(type, each); });
    auto* wanted = of.as<Class>();
    if (!wanted || !type) return false;
    if (Value* abstract = wanted->members.find("__accepts__"))
        return type->derivesFrom(wanted) || std::any_of(type->order.begin(), type->order.end(), [&](const Class* each) {
                   return contains(*abstract, text(each->name));
               });
    return type->derivesFrom(wanted);
}

bool Interpreter::isInstance(const Value& value, const Value& type) {
    if (const auto* tuple = type.as<Tuple>())
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isInstance(value, each); });
    if (type.isNone()) return value.isNone();
    if (const auto* traced = type.as<Traced>()) {
        const auto* function = traced->value.as<trace::FunctionValue>();
        const Value own = typeOf(value);
        const auto* ownClass = own.as<Traced>();
        const auto* mine = ownClass ? ownClass->value.as<trace::FunctionValue>() : nullptr;
        if (function && mine) return function->path == mine->path;
        if (function && function->path.starts_with("typing.")) { // typing.Sequence is collections.abc.Sequence
            Value* abstract = run(*ownFile("collections.abc")).names.find(function->path.substr(7));
            if (abstract && abstract->as<Class>()) return isInstance(value, *abstract);
            static constexpr std::pair<std::string_view, std::string_view> kPlain[] = {
                {"typing.List", "list"}, {"typing.Tuple", "tuple"}, {"typing.Dict", "dict"}, {"typing.Set", "set"}};
            for (const auto& [alias, name] : kPlain)
                if (function->path == alias) return isInstance(value, builtinClass(name));
        }
        if (function && function->path == "torch.Size") return value.as<Tuple>() && value.as<Tuple>()->isSize;
        if (function && function->callable->name == "Callable")
            return value.as<Function>() || value.as<Class>() || value.as<Native>() || value.as<Method>();
        return false;
    }
    return isSubclass(typeOf(value).as<Class>(), type);
}

} // namespace fx::python

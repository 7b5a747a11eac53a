// SPDX-License-Identifier: GPL-3.0-or-later
// Python's built-in types and functions.
#include "core/ops/python_functions.h"
#include "core/python/interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Class* Interpreter::builtinClass(std::string_view name) {
    Value* found = m_builtins.find(name);
    return found ? found->as<Class>() : nullptr;
}

void Interpreter::addTypes() {
    const auto addClass = [&](std::string_view name, Class* base, Native::Body make) {
        Class* type = m_heap.make<Class>();
        type->name = name;
        if (base) type->bases = {base};
        orderBases(*type);
        if (make) type->members.set("__lancet_call__", native(std::string(name), std::move(make)));
        m_builtins.set(name, type);
        return type;
    };
    m_object = addClass("object", nullptr, nullptr);
    for (const char* name : {"NoneType", "module", "function", "method", "builtin_function_or_method", "generator",
                             "Proxy", "complex", "OpOverload", "OpOverloadPacket", "HigherOrderOperator", "dict_keys",
                             "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items"})
        addClass(name, m_object, nullptr);
    Class* tensor = addClass("Tensor", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.call(*in.run(*in.ownFile("torch")).names.find("_tensor_of"), {Value::none(), in.tuple(args)});
    });
    addClass("Parameter", tensor,
             [](Interpreter& in, Values& args, Keywords& kwargs) { return in.makeParameter(args, kwargs); });
    Class* integer = addClass("int", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() == 1)
            if (const Value own = in.specialMethod(args[0], "__int__"); own.isSet()) return in.call(own, {});
        if (args.empty()) return {std::int64_t{0}};
        const Value& value = args[0].as<Instance>() && args[0].as<Instance>()->payload.isSet()
                                 ? args[0].as<Instance>()->payload
                                 : args[0];
        if (value.isInt()) return {value.asInt()};
        if (value.kind == Value::Kind::Float) {
            if (!std::isfinite(value.real) || std::abs(value.real) > 9e18)
                in.raise("OverflowError", "cannot convert float to integer");
            return {static_cast<std::int64_t>(value.real)};
        }
        if (const auto* text = value.as<Str>()) {
            std::int64_t number = 0;
            const auto [end, failed] = std::from_chars(text->text.data(), text->text.data() + text->text.size(), number,
                                                       args.size() > 1 ? static_cast<int>(args[1].asInt()) : 10);
            if (failed != std::errc() || end != text->text.data() + text->text.size())
                in.raise("ValueError", "invalid literal for int() with base 10: " + in.repr(value));
            return {number};
        }
        if (in.machine && tensorIn(value))
            if (const Value number = in.numberOf(value); number.isSet())
                return {number.isInt() ? number.asInt() : static_cast<std::int64_t>(number.asReal())};
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.int"), {in.toOperand(value, false)}, {}));
    });
    addClass("bool", integer,
             [](Interpreter& in, Values& args, Keywords&) -> Value { return {!args.empty() && in.truth(args[0])}; });
    addClass("float", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() == 1)
            if (const Value own = in.specialMethod(args[0], "__float__"); own.isSet()) return in.call(own, {});
        if (args.empty()) return {0.0};
        if (args[0].isNumber()) return {args[0].asReal()};
        if (const auto* text = args[0].as<Str>()) {
            char* end = nullptr;
            const double number = std::strtod(text->text.c_str(), &end);
            if (*end || text->text.empty())
                in.raise("ValueError", "could not convert string to float: " + in.repr(args[0]));
            return {number};
        }
        if (in.machine && tensorIn(args[0]))
            if (const Value number = in.numberOf(args[0]); number.isSet()) return {number.asReal()};
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.float"), {in.toOperand(args[0], false)}, {}));
    });
    addClass("str", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.text(args.empty() ? "" : in.str(args[0]));
    });
    addClass("bytes", m_object, nullptr);
    addClass("list", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.listOf(args.empty() ? Values() : in.list(args[0]));
    });
    addClass("tuple", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.tuple(args.empty() ? Values() : in.list(args[0]));
    });
    const auto makeDict = [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Dict* dict = in.heap().make<Dict>();
        in.call(in.dictMethod(*dict, "update"), args, kwargs);
        return dict;
    };
    Class* dict = addClass("dict", m_object, makeDict);
    addClass("OrderedDict", dict, [makeDict](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Value made = makeDict(in, args, kwargs);
        made.as<Dict>()->isOrdered = true;
        return made;
    });
    addClass("defaultdict", dict, [makeDict](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Values rest(args.size() > 1 ? args.begin() + 1 : args.end(), args.end());
        const Value made = makeDict(in, rest, kwargs);
        made.as<Dict>()->factory = args.empty() ? Value::none() : args[0];
        return made;
    });
    const auto makeSet = [](Interpreter& in, Values& args, Keywords&) -> Value {
        Set* set = in.heap().make<Set>();
        if (!args.empty())
            for (const Value& each : in.list(args[0])) set->items.set(each, Value::none());
        return set;
    };
    addClass("set", m_object, makeSet);
    addClass("frozenset", m_object, [makeSet](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Value made = makeSet(in, args, kwargs);
        made.as<Set>()->isFrozen = true;
        return made;
    });
    addClass("slice", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        SliceObject* slice = in.heap().make<SliceObject>();
        slice->start = args.size() > 1 ? args[0] : Value::none();
        slice->stop = args.size() > 1 ? args[1] : args.at(0);
        slice->step = args.size() > 2 ? args[2] : Value::none();
        return slice;
    });
    addClass("range", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        for (Value& each : args) {
            each = plainValue(each);
            if (!each.isInt())
                in.raise("TypeError", "'" + in.str(in.attribute(in.typeOf(each), "__name__")) +
                                          "' object cannot be interpreted as an integer");
        }
        RangeObject* range = in.heap().make<RangeObject>();
        if (args.size() > 1) range->start = args[0].asInt();
        range->stop = args.at(args.size() > 1 ? 1 : 0).asInt();
        if (args.size() > 2) range->step = args[2].asInt();
        if (range->step == 0) in.raise("ValueError", "range() arg 3 must not be zero");
        return range;
    });
    addClass("type", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() == 1) return in.typeOf(args[0]);
        Class* made = in.heap().make<Class>();
        made->name = in.str(args.at(0));
        made->file = in.m_frame->file;
        for (const Value& base : in.list(args.at(1)))
            if (base.as<Class>()) made->bases.push_back(base.as<Class>());
        if (made->bases.empty()) made->bases.push_back(in.m_object);
        in.inherit(*made);
        args.at(2).as<Dict>()->forEach(
            [&](const Value& key, const Value& value) { made->members.set(in.str(key), value); });
        made->hasGetter = made->find("__getattribute__") != nullptr;
        return made;
    });
    addClass("property", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        Property* property = in.heap().make<Property>();
        property->getter = args.empty() ? Value::none() : args[0];
        if (args.size() > 1) property->setter = args[1];
        return property;
    });
    const auto wrapper = [](Wrapper::Kind kind) {
        return [kind](Interpreter& in, Values& args, Keywords&) -> Value {
            Wrapper* made = in.heap().make<Wrapper>();
            made->kind = kind;
            made->function = args.at(0);
            return made;
        };
    };
    addClass("staticmethod", m_object, wrapper(Wrapper::Kind::Static));
    addClass("classmethod", m_object, wrapper(Wrapper::Kind::Class));
    addClass("cached_property", m_object, wrapper(Wrapper::Kind::Cached));
    m_enumClass = addClass("__Enum__", m_object, nullptr);
    m_enumClass->isEnum = true;
    Class* record = addClass("__NamedTuple__", builtinClass("tuple"), nullptr);
    record->isNamedTuple = true;
    addRecordMethods(*record);
}

namespace {
/// The object of a method of named tuples; programs may call it by the class.
const Instance& recordOf(Interpreter& in, const Values& args) {
    const auto* self = args.empty() ? nullptr : args[0].as<Instance>();
    if (!self || !self->type->isNamedTuple) in.raise("TypeError", "expected a named tuple");
    return *self;
}
} // namespace

/// `_replace`, `_asdict` and `_make` of a named tuple.
void Interpreter::addRecordMethods(Class& record) {
    const auto add = [&](const char* name, Native::Body body) {
        record.members.set(name, native(name, std::move(body)));
    };
    add("_replace", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Instance& self = recordOf(in, args);
        Values items = self.payload.as<Tuple>()->items;
        const auto& fields = self.type->fields;
        for (const auto& [key, value] : kwargs) {
            const auto field = std::find(fields.begin(), fields.end(), key);
            if (field == fields.end()) in.raise("ValueError", "Got unexpected field names: ['" + key + "']");
            items[static_cast<std::size_t>(field - fields.begin())] = value;
        }
        return in.makeNamedTuple(*self.type, std::move(items), {});
    });
    add("_asdict", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Instance& self = recordOf(in, args);
        Dict* all = in.heap().make<Dict>();
        for (const std::string& field : self.type->fields) all->set(in.text(field), *self.attributes.find(field));
        return all;
    });
    Wrapper* make = m_heap.make<Wrapper>();
    make->kind = Wrapper::Kind::Class;
    make->function = native("_make", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.makeNamedTuple(*args.at(0).as<Class>(), in.list(args.at(1)), {});
    });
    record.members.set("_make", make);
}

void Interpreter::addExceptions() {
    static constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
        {"BaseException", "object"},
        {"Exception", "BaseException"},
        {"ArithmeticError", "Exception"},
        {"AssertionError", "Exception"},
        {"AttributeError", "Exception"},
        {"ImportError", "Exception"},
        {"LookupError", "Exception"},
        {"NameError", "Exception"},
        {"OSError", "Exception"},
        {"RuntimeError", "Exception"},
        {"StopIteration", "Exception"},
        {"SyntaxError", "Exception"},
        {"TypeError", "Exception"},
        {"ValueError", "Exception"},
        {"Warning", "Exception"},
        {"EnvironmentError", "OSError"},
        {"FileNotFoundError", "OSError"},
        {"IndexError", "LookupError"},
        {"KeyError", "LookupError"},
        {"ModuleNotFoundError", "ImportError"},
        {"NotImplementedError", "RuntimeError"},
        {"RecursionError", "RuntimeError"},
        {"OverflowError", "ArithmeticError"},
        {"ZeroDivisionError", "ArithmeticError"},
        {"DeprecationWarning", "Warning"},
        {"FutureWarning", "Warning"},
        {"UserWarning", "Warning"},
        {"RuntimeWarning", "Warning"},
        {"ImportWarning", "Warning"},
        {"TraceError", "ValueError"},
        {"KeyboardInterrupt", "BaseException"},
        {"SystemExit", "BaseException"},
        {"FrozenInstanceError", "AttributeError"},
        {"UnboundLocalError", "NameError"},
        {"GeneratorExit", "BaseException"},
        {"TimeoutError", "OSError"},
        {"PermissionError", "OSError"},
        {"UnicodeDecodeError", "ValueError"}};
    for (const auto& [name, base] : kExceptions) {
        Class* type = m_heap.make<Class>();
        type->name = name;
        type->isException = true;
        type->bases = {builtinClass(base)};
        orderBases(*type);
        m_builtins.set(name, type);
        // `super().__init__(message)` of a class of the program
        type->members.set("__init__", native("__init__", [](Interpreter& in, Values& args, Keywords&) -> Value {
                              args.at(0).as<Instance>()->attributes.set("args",
                                                                        in.tuple(Values(args.begin() + 1, args.end())));
                              return Value::none();
                          }));
    }
}

/// Functions about objects: attributes, classes, identity.
void Interpreter::addObjects() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    add("getattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const std::string name = in.str(args.at(1));
        if (args.size() < 3) return in.attribute(args[0], name);
        const Value found = in.softAttribute(args[0], name);
        return found.isSet() ? found : args[2];
    });
    add("hasattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const auto* traced = args.at(0).as<Traced>();
        const std::string name = in.str(args.at(1));
        if (traced && tensorIn(args[0]))
            return {ops::findFunction("torch.Tensor." + name).has_value() || name == "data" || name == "shape"};
        const Value found = in.softAttribute(args[0], name);
        const auto* value = found.as<Traced>();
        const auto* function = value ? value->value.as<trace::FunctionValue>() : nullptr;
        const auto* space = args[0].as<Space>();
        const bool isAnswered = space && !name.starts_with('_') && Interpreter::namesAreKnown(*space);
        if (space && !isAnswered && function && !function->known && !ops::findFunction(function->path)) return {false};
        return {found.isSet()};
    });
    add("setattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.setAttribute(args.at(0), in.str(args.at(1)), args.at(2));
        return Value::none();
    });
    add("delattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.removeAttribute(args.at(0), in.str(args.at(1)));
        return Value::none();
    });
    add("isinstance",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return {in.isInstance(args.at(0), args.at(1))}; });
    add("issubclass", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return {in.isSubclass(args.at(0).as<Class>(), args.at(1))};
    });
    add("callable", [](Interpreter&, Values& args, Keywords&) -> Value {
        const Value& v = args.at(0);
        const auto* instance = v.as<Instance>();
        const auto* traced = v.as<Traced>();
        return {v.as<Function>() || v.as<Native>() || v.as<Method>() || v.as<Class>() ||
                (instance && (instance->module || instance->type->find("__call__"))) ||
                (traced && (traced->value.as<trace::FunctionValue>() || traced->value.isProxy()))};
    });
    add("id", [](Interpreter&, Values& args, Keywords&) -> Value {
        if (const auto* tensor = tensorIn(args.at(0)))
            return {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(tensor->tensor.get()))};
        return {args.at(0).kind == Value::Kind::Object
                    ? static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(args[0].object))
                    : args[0].asInt()};
    });
    add("hash", [](Interpreter&, Values& args, Keywords&) -> Value {
        return {static_cast<std::int64_t>(hashOf(args.at(0)) >> 1)};
    });
    add("repr", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.text(in.repr(args.at(0))); });
    add("format", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.text(in.format(args.at(0), args.size() > 1 ? in.str(args[1]) : ""));
    });
    add("print", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (!in.printed) return Value::none();
        const auto option = [&](const char* name, const char* otherwise) {
            const Value* given = keyword(kwargs, name);
            return given && given->as<Str>() ? given->as<Str>()->text : std::string(otherwise);
        };
        const std::string between = option("sep", " ");
        for (std::size_t i = 0; i < args.size(); ++i) in.m_unfinished += (i > 0 ? between : "") + in.str(args[i]);
        in.m_unfinished += option("end", "\n");
        if (in.m_unfinished.ends_with('\n')) in.finishLine();
        return Value::none();
    });
    add("vars", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.attribute(args.at(0), "__dict__"); });
    add("dir", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (!args.empty() && args[0].as<Space>()) return args[0]; // `"silu" in dir(F)`
        std::set<std::string> names;
        const auto addNames = [&](const Names& from) {
            for (const auto& [name, value] : from.items()) names.insert(name);
        };
        if (args.empty()) addNames(in.m_frame->scope->names);
        const auto* instance = args.empty() ? nullptr : args[0].as<Instance>();
        if (instance) addNames(instance->attributes);
        const auto* type = instance ? instance->type : args.empty() ? nullptr : args[0].as<Class>();
        if (type)
            for (const Class* each : type->order) addNames(each->members);
        if (auto* file = args.empty() ? nullptr : args[0].as<SourceFile>()) addNames(in.run(*file).names);
        if (instance && instance->module)
            for (const auto& child : instance->module->children) names.insert(child.name);
        Values out;
        for (const std::string& name : names) out.push_back(in.text(name));
        return in.listOf(std::move(out));
    });
    add("locals", [](Interpreter& in, Values&, Keywords&) -> Value {
        Dict* dict = in.heap().make<Dict>();
        for (const auto& [key, value] : in.m_frame->scope->names.items()) dict->set(in.text(key), value);
        return dict;
    });
    add("globals", [](Interpreter& in, Values&, Keywords&) -> Value {
        Dict* dict = in.heap().make<Dict>();
        const auto items = in.m_frame->file->globals->names.items();
        for (const auto& [key, value] : items) dict->set(in.text(key), in.forced(value));
        return dict;
    });
    m_builtins.set("NotImplemented", m_heap.make<Opaque>("NotImplemented"));
    m_builtins.set("Ellipsis", traced({Argument(EllipsisValue{})}));
    m_builtins.set("__debug__", Value(true));
    m_builtins.set("__name__", text("builtins"));
}

void Interpreter::addIteration() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    add("len", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.length(args.at(0)); });
    add("iter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() < 2) return in.iterate(args.at(0));
        return in.iterator([&in, function = args[0], last = args[1]]() -> Value {
            const Value value = in.call(function, {});
            return in.equal(value, last) ? Value() : value;
        });
    });
    add("next", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Iterator* each = in.iterate(args.at(0));
        if (args.size() < 2) return in.next(*each);
        const Value value = each->next();
        return value.isSet() ? value : args[1];
    });
    add("enumerate", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* named = keyword(kwargs, "start");
        std::int64_t at = args.size() > 1 ? args[1].asInt() : named ? named->asInt() : 0;
        return in.iterator([&in, each = in.iterate(args.at(0)), at]() mutable -> Value {
            const Value value = each->next();
            return value.isSet() ? Value(in.tuple({Value(at++), value})) : Value();
        });
    });
    const auto columns = [](bool maps) {
        return [maps](Interpreter& in, Values& args, Keywords&) -> Value {
            std::vector<Iterator*> each;
            for (std::size_t i = maps ? 1 : 0; i < args.size(); ++i) each.push_back(in.iterate(args[i]));
            return in.iterator([&in, each, function = maps ? args.at(0) : Value(), maps]() -> Value {
                Values row;
                for (Iterator* column : each) {
                    const Value value = column->next();
                    if (!value.isSet()) return {};
                    row.push_back(value);
                }
                if (row.empty()) return {};
                return maps ? in.call(function, std::move(row)) : Value(in.tuple(std::move(row)));
            });
        };
    };
    add("zip", columns(false));
    add("map", columns(true));
    add("filter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.iterator([&in, test = args.at(0), each = in.iterate(args.at(1))]() -> Value {
            for (Value value = each->next(); value.isSet(); value = each->next())
                if (in.truth(test.isNone() ? value : in.call(test, {value}))) return value;
            return {};
        });
    });
    add("reversed", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Values items = in.list(args.at(0));
        std::reverse(items.begin(), items.end());
        return in.iterate(in.listOf(std::move(items)));
    });
    add("sorted", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        std::vector<std::pair<Value, Value>> items;
        Value* key = keyword(kwargs, "key");
        for (const Value& each : in.list(args.at(0)))
            items.emplace_back(key && !key->isNone() ? in.call(*key, {each}) : each, each);
        std::stable_sort(items.begin(), items.end(),
                         [&](const auto& a, const auto& b) { return in.truth(in.compare("<", a.first, b.first)); });
        Value* backwards = keyword(kwargs, "reverse");
        if (backwards && in.truth(*backwards)) std::reverse(items.begin(), items.end());
        List* out = in.listOf({});
        for (auto& [sortKey, value] : items) out->items.push_back(value);
        return out;
    });
    add("sum", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* start = keyword(kwargs, "start");
        Value total = args.size() > 1 ? args[1] : start ? *start : Value(std::int64_t{0});
        Iterator* each = in.iterate(args.at(0));
        for (Value value = each->next(); value.isSet(); value = each->next()) total = in.binary("add", total, value);
        return total;
    });
    for (const bool all : {true, false})
        add(all ? "all" : "any", [all](Interpreter& in, Values& args, Keywords&) -> Value {
            Iterator* each = in.iterate(args.at(0));
            for (Value value = each->next(); value.isSet(); value = each->next())
                if (in.truth(value) != all) return {!all};
            return {all};
        });
    for (const bool least : {true, false})
        add(least ? "min" : "max", [least](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            Value* key = keyword(kwargs, "key");
            Value* otherwise = keyword(kwargs, "default");
            const Values items = args.size() == 1 ? in.list(args[0]) : args;
            if (items.empty() && otherwise) return *otherwise;
            if (items.empty())
                in.raise("ValueError", std::string(least ? "min" : "max") + "() arg is an empty sequence");
            Value best, bestKey;
            for (const Value& each : items) {
                const Value own = key && !key->isNone() ? in.call(*key, {each}) : each;
                if (best.isSet() && !in.truth(in.compare(least ? "<" : ">", own, bestKey))) continue;
                best = each;
                bestKey = own;
            }
            return best;
        });
}

void Interpreter::finishLine() {
    if (m_unfinished.empty()) return;
    if (m_unfinished.ends_with('\n')) m_unfinished.pop_back();
    printed(std::exchange(m_unfinished, {}));
}

/// Functions of numbers; proxies and tensors go the way of the tracer.
void Interpreter::addBuiltins() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    const auto plain = [&](const char* name) {
        add(name, [name](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            trace::Values traceArgs;
            trace::KeywordValues traceKwargs;
            const bool records = std::any_of(args.begin(), args.end(), isProxy);
            for (const Value& arg : args) traceArgs.push_back(in.toOperand(arg, records));
            for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, in.toOperand(value, records));
            return in.fromTrace(in.tracer().call(trace::resolveName(std::string("builtins.") + name),
                                                 std::move(traceArgs), std::move(traceKwargs)));
        });
    };
    for (const char* name : {"pow", "divmod", "chr", "ord", "bin", "hex", "oct", "ascii"}) plain(name);
    add("abs", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        if (value.isInt()) return {std::abs(value.asInt())};
        if (value.isNumber()) return {std::abs(value.asReal())};
        if (const Value own = in.specialMethod(value, "__abs__"); own.isSet()) return in.call(own, {});
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.abs"), {in.toOperand(value, false)}, {}));
    });
    add("round", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        const std::int64_t digits = args.size() > 1 && args[1].isInt() ? args[1].asInt() : 0;
        if (value.isInt() && digits >= 0) return {value.asInt()};
        if (!value.isNumber())
            return in.fromTrace(
                in.tracer().call(trace::resolveName("builtins.round"), {in.toOperand(value, false)}, {}));
        if (args.size() > 1 && !args[1].isNone()) {
            char buffer[400];
            std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(std::clamp<std::int64_t>(digits, 0, 30)),
                          value.asReal());
            return {std::strtod(buffer, nullptr)};
        }
        return {static_cast<std::int64_t>(std::nearbyint(value.asReal()))};
    });
}

} // namespace fx::python

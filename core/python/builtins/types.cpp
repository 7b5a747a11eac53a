// SPDX-License-Identifier: GPL-3.0-or-later
// Python's built-in types.
#include "core/python/interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Class* Interpreter::builtinClass(std::string_view name) {
    Value* found = m_builtins.find(name);
    return found ? found->as<Class>() : nullptr;
}

namespace {
/// Without spaces around it, and without underscores between digits.
std::string digitsIn(std::string_view text) {
    static constexpr std::string_view kSpaces = " \t\n\r\v\f";
    const std::size_t first = text.find_first_not_of(kSpaces);
    if (first == text.npos) return {};
    text = text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isBetween =
            i > 0 && i + 1 < text.size() && text[i] == '_' && std::isalnum(text[i - 1]) && std::isalnum(text[i + 1]);
        if (!isBetween) out += text[i];
    }
    return out;
}

/// `int(text, base)`
Value integerIn(Interpreter& in, const Value& text, const Value& base) {
    int radix = static_cast<int>(plain(base).isInt() ? plain(base).asInt() : 10);
    std::string digits = digitsIn(text.as<Str>()->text);
    const bool isNegative = digits.starts_with('-');
    if (isNegative || digits.starts_with('+')) digits.erase(0, 1);
    const char letter = digits.size() > 2 && digits[0] == '0' ? static_cast<char>(std::tolower(digits[1])) : ' ';
    const int written = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (written && (radix == 0 || radix == written)) {
        radix = written;
        digits.erase(0, 2);
    }
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stopped, failed] = std::from_chars(digits.data(), end, number, radix == 0 ? 10 : radix);
    if (failed == std::errc::result_out_of_range)
        throw CannotFollow(Message("trace.not_computed", {{"function", "int(" + in.repr(text) + ")"}}));
    if (failed != std::errc() || stopped != end || digits.starts_with('-'))
        in.raise("ValueError", "invalid literal for int() with base " + std::to_string(radix) + ": " + in.repr(text));
    return {isNegative ? -number : number};
}

/// `float(text)`
double realIn(Interpreter& in, const Value& text) {
    const std::string digits = digitsIn(text.as<Str>()->text);
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (*end || digits.empty() || digits.find_first_of("xX(") != digits.npos)
        in.raise("ValueError", "could not convert string to float: " + in.repr(text));
    return number;
}
} // namespace

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
                             "Proxy", "OpOverload", "OpOverloadPacket", "HigherOrderOperator", "dict_keys",
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
        if (value.as<Str>()) return integerIn(in, value, args.size() > 1 ? args[1] : Value(std::int64_t{10}));
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
        if (plain(args[0]).isNumber()) return {plain(args[0]).asReal()};
        if (args[0].as<Str>()) return {realIn(in, args[0])};
        if (in.machine && tensorIn(args[0]))
            if (const Value number = in.numberOf(args[0]); number.isSet()) return {number.asReal()};
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.float"), {in.toOperand(args[0], false)}, {}));
    });
    addClass("complex", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        for (const char* name : {"real", "imag"})
            if (const Value* given = keyword(kwargs, name)) args.push_back(*given);
        trace::Values traceArgs;
        for (const Value& arg : args) {
            if (arg.as<Str>())
                throw CannotFollow(Message("trace.not_computed", {{"function", "complex(" + in.repr(arg) + ")"}}));
            traceArgs.push_back(in.toOperand(arg, false));
        }
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.complex"), std::move(traceArgs), {}));
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

} // namespace fx::python

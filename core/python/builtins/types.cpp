// SPDX-License-Identifier: GPL-3.0-or-later
// Python's built-in types.
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"
#include "core/tensor/promotion.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Class* Builtins::builtinClass(std::string_view name) {
    Value* found = m_builtins.find(name);
    return found ? found->as<Class>() : nullptr;
}

namespace {
/// int and float of a tensor.
void requireOneElement(Interpreter& in, const Value& value) {
    const auto* tensor = tensorIn(value);
    if (tensor && tensor->shapeKnown && tensor->tensor->elementCount() != 1)
        in.raise("ValueError", "only one element tensors can be converted to Python scalars");
}

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
    const std::int64_t asked = indexOf(in, base).asInt();
    if (asked != 0 && (asked < 2 || asked > 36)) in.raise("ValueError", "int() base must be >= 2 and <= 36, or 0");
    int radix = static_cast<int>(asked);
    const std::string& characters = text.get<Str>().text;
    if (std::any_of(characters.begin(), characters.end(), [](char each) { return each & 0x80; }))
        throw CannotFollow(Message("trace.not_computed", {{"function", "int(" + in.repr(text) + ")"}}));
    std::string digits = digitsIn(text.get<Str>().text);
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

/// What `int()` makes of what a method returned.
Value integerBy(Interpreter& in, const std::string& method, const Value& made) {
    const Value held = plain(made);
    if (held.isInt()) return {held.asInt()};
    if (held.as<Traced>() && !isProxy(held)) return held;
    requireKnown(made);
    if (method != "__trunc__") in.raise("TypeError", method + " returned non-int (type " + in.typeName(made) + ")");
    if (const Value own = in.specialMethod(made, "__index__"); own.isSet())
        return integerBy(in, "__index__", in.call(own, {}));
    in.raise("TypeError", "__trunc__ returned non-Integral (type " + in.typeName(made) + ")");
}

/// `float(text)`
double realIn(Interpreter& in, const Value& text) {
    const std::string digits = digitsIn(text.get<Str>().text);
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (*end || digits.empty() || digits.find_first_of("xX(") != digits.npos)
        in.raise("ValueError", "could not convert string to float: " + in.repr(text));
    return number;
}
} // namespace

Value integerOf(Interpreter& in, std::string_view function, double number) {
    if (std::isnan(number)) in.raise("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(number)) in.raise("OverflowError", "cannot convert float infinity to integer");
    if (std::abs(number) > 9e18)
        throw CannotFollow(
            Message("trace.not_computed", {{"function", std::string(function) + "(" + in.repr({number}) + ")"}}));
    return {static_cast<std::int64_t>(number)};
}

Value indexOf(Interpreter& in, const Value& value) {
    const Value held = plain(value);
    if (held.isInt()) return {held.asInt()};
    if (held.as<Traced>()) return held;
    requireKnown(value);
    const auto* instance = value.as<Instance>();
    if (Value* own = instance ? instance->type->find("__index__") : nullptr) {
        const Value made = plain(in.call(*own, {value}));
        if (made.isInt() || (made.as<Traced>() && !isProxy(made))) return made;
        in.raise("TypeError", "__index__ returned non-int (type " + in.typeName(made) + ")");
    }
    in.raise("TypeError", "'" + in.typeName(value) + "' object cannot be interpreted as an integer");
}

SliceObject indexed(Interpreter& in, const SliceObject& slice) {
    SliceObject out = slice;
    for (Value* bound : {&out.start, &out.stop, &out.step})
        if (const auto* object = bound->as<Instance>(); object && object->type->find("__index__"))
            *bound = indexOf(in, *bound);
    return out;
}

namespace {
/// `torch.Size(items)`.
/// The number of a tensor with one integer; unset for other tensors.
Value indexOfTensor(Interpreter& in, const Value& item) {
    const TensorRef& tensor = *tensorIn(item)->tensor;
    if (dtypeKind(tensor.dtype) > DTypeKind::Integer || (tensorIn(item)->shapeKnown && tensor.elementCount() != 1))
        return {};
    const Value number = in.tensors().numberOf(item);
    if (!number.isSet()) throw trace::CannotFollow(Message("trace.not_computed", {{"function", "torch.Size"}}));
    return {number.asInt()};
}

Value sizeOf(Interpreter& in, Values items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (tensorIn(items[i]))
            if (const Value index = indexOfTensor(in, items[i]); index.isSet()) items[i] = index;
        const Value& item = items[i];
        const bool hasIndex = plain(item).isInt() || (item.as<Traced>() && !isProxy(item) && !tensorIn(item)) ||
                              in.specialMethod(item, "__index__").isSet();
        if (!hasIndex)
            in.raise("TypeError", "torch.Size() takes an iterable of 'int' (item " + std::to_string(i) + " is '" +
                                      in.typeName(item) + "')");
        items[i] = indexOf(in, item);
    }
    Tuple* made = in.tuple(std::move(items));
    made->isSize = true;
    return made;
}
} // namespace

void Builtins::addTypes() {
    const auto addClass = [&](std::string_view name, Class* base, Native::Body make) {
        Class* type = heap().make<Class>();
        type->name = name;
        if (base) type->bases = {base};
        m_in.classes().orderBases(*type);
        if (make) type->members.set("__lancet_call__", native(std::string(name), std::move(make)));
        m_builtins.set(name, type);
        return type;
    };
    m_object = addClass("object", nullptr, nullptr);
    for (const char* name : {"NoneType",
                             "module",
                             "function",
                             "method",
                             "builtin_function_or_method",
                             "generator",
                             "list_iterator",
                             "tuple_iterator",
                             "range_iterator",
                             "str_iterator",
                             "set_iterator",
                             "dict_keyiterator",
                             "dict_valueiterator",
                             "dict_itemiterator",
                             "list_reverseiterator",
                             "callable_iterator",
                             "str_ascii_iterator",
                             "ellipsis",
                             "super",
                             "OpOverload",
                             "OpOverloadPacket",
                             "HigherOrderOperator",
                             "dict_keys",
                             "dict_values",
                             "dict_items",
                             "odict_keys",
                             "odict_values",
                             "odict_items"})
        addClass(name, m_object, nullptr);
    Class* tensor = addClass("Tensor", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.call(*in.run(*in.ownFile("torch")).names.find("_tensor_of"), {Value::none(), in.tuple(args)});
    });
    addClass("Parameter", tensor, [](Interpreter& in, Values& args, Keywords& kwargs) {
        Value data = args.empty() ? Value() : args[0];
        for (const auto& [key, value] : kwargs)
            if (key == "data") data = value;
        const bool isOther = data.isSet() && !data.isNone() && !tensorIn(data) && !isProxy(data);
        if (isOther) in.attribute(data, "detach"); // which PyTorch calls
        return in.tensors().makeParameter(args, kwargs);
    });
    Class* integer = addClass("int", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (const Value* base = keyword(kwargs, "base")) {
            if (args.empty()) in.raise("TypeError", "int() missing string argument");
            args.push_back(*base);
        }
        if (args.size() == 1)
            for (const char* name : {"__int__", "__index__", "__trunc__"})
                if (const Value own = in.specialMethod(args[0], name); own.isSet())
                    return integerBy(in, name, in.call(own, {}));
        if (args.empty()) return {std::int64_t{0}};
        if (args.size() > 1 && !plain(args[0]).as<Str>() && !args[0].as<Traced>())
            in.raise("TypeError", "int() can't convert non-string with explicit base");
        const Value& value = args[0].as<Instance>() && args[0].get<Instance>().payload.isSet()
                                 ? args[0].get<Instance>().payload
                                 : args[0];
        if (value.isInt()) return {value.asInt()};
        if (value.kind == Value::Kind::Float) { return integerOf(in, "int", value.real); }
        if (value.as<Str>()) return integerIn(in, value, args.size() > 1 ? args[1] : Value(std::int64_t{10}));
        requireOneElement(in, value);
        if (in.machine && tensorIn(value))
            if (const Value number = in.tensors().numberOf(value); number.isSet())
                return {number.isInt() ? number.asInt() : static_cast<std::int64_t>(number.asReal())};
        if (!value.as<Traced>())
            in.raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '" +
                                      in.typeName(args[0]) + "'");
        return in.calls().callNumbers("int", {value}, {});
    });
    addClass("bool", integer,
             [](Interpreter& in, Values& args, Keywords&) -> Value { return {!args.empty() && in.truth(args[0])}; });
    addClass("float", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() == 1)
            if (const Value own = in.specialMethod(args[0], "__float__"); own.isSet()) {
                const Value made = in.call(own, {});
                if (plain(made).kind != Value::Kind::Float && (!made.as<Traced>() || isProxy(made)))
                    in.raise("TypeError",
                             in.typeName(args[0]) + ".__float__ returned non-float (type " + in.typeName(made) + ")");
                return plain(made);
            }
        if (args.empty()) return {0.0};
        if (plain(args[0]).isNumber()) return {plain(args[0]).asReal()};
        if (args[0].as<Str>()) return {realIn(in, args[0])};
        requireOneElement(in, args[0]);
        if (in.machine && tensorIn(args[0]))
            if (const Value number = in.tensors().numberOf(args[0]); number.isSet()) return {number.asReal()};
        if (const auto* object = args[0].as<Instance>(); object && object->type->find("__index__"))
            return {indexOf(in, args[0]).asReal()};
        if (!args[0].as<Traced>())
            in.raise("TypeError",
                     "float() argument must be a string or a real number, not '" + in.typeName(args[0]) + "'");
        return in.calls().callNumbers("float", {args[0]}, {});
    });
    addClass("complex", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        for (const char* name : {"real", "imag"})
            if (const Value* given = keyword(kwargs, name)) args.push_back(*given);
        trace::Values traceArgs;
        for (const Value& arg : args) {
            if (arg.as<Str>())
                throw CannotFollow(Message("trace.not_computed", {{"function", "complex(" + in.repr(arg) + ")"}}));
            if (isProxy(arg) || arg.as<List>() || arg.as<Tuple>() || arg.as<Dict>())
                in.raise("TypeError", "complex() " +
                                          std::string(traceArgs.empty() ? "first argument must be a string or a number"
                                                                        : "second argument must be a number") +
                                          ", not '" + in.typeName(arg) + "'");
            traceArgs.push_back(in.toOperand(arg, false));
        }
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.complex"), std::move(traceArgs), {}));
    });
    addClass("str", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (const Value* object = args.empty() ? keyword(kwargs, "object") : nullptr) args.push_back(*object);
        const Value* encoding = args.size() > 1 ? &args[1] : keyword(kwargs, "encoding");
        const Value* errors = args.size() > 2 ? &args[2] : keyword(kwargs, "errors");
        for (const auto& [given, name] : {std::pair(encoding, "encoding"), std::pair(errors, "errors")})
            if (given && (isProxy(*given) || !plain(*given).as<Str>()))
                in.raise("TypeError",
                         std::string("str() argument '") + name + "' must be str, not " + in.typeName(*given));
        if ((encoding || errors) && !args.empty() && (isProxy(args[0]) || !args[0].as<Traced>()))
            in.raise("TypeError", "decoding to str: need a bytes-like object, " + in.typeName(args[0]) + " found");
        return in.text(args.empty() ? "" : in.str(args[0]));
    });
    addClass("bytes", m_object, [](Interpreter&, Values&, Keywords&) -> Value {
        throw CannotFollow(Message("trace.not_computed", {{"function", "bytes()"}}));
    });
    addClass("list", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.listOf(args.empty() ? Values() : in.iteration().filled(args[0]));
    });
    addClass("tuple", m_object, [](Interpreter& in, Values& args, Keywords&) -> Value {
        const auto* same = args.size() == 1 ? args[0].as<Tuple>() : nullptr;
        if (same && !same->isSize && same->fields.empty()) return args[0];
        return in.tuple(args.empty() ? Values() : in.iteration().filled(args[0]));
    });
    Class* size = addClass("__Size__", builtinClass("tuple"), [](Interpreter& in, Values& args, Keywords&) -> Value {
        return sizeOf(in, args.empty() ? Values() : in.iteration().filled(args[0]));
    });
    size->name = "Size", size->torchPath = "torch.Size";
    const auto makeDict = [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Dict* dict = in.heap().make<Dict>();
        in.call(in.builtinMethods().dictMethod(*dict, "update"), args, kwargs);
        return dict;
    };
    Class* dict = addClass("dict", m_object, makeDict);
    addClass("OrderedDict", dict, [makeDict](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Value made = makeDict(in, args, kwargs);
        made.get<Dict>().isOrdered = true;
        return made;
    });
    addClass("defaultdict", dict, [makeDict](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Values rest(args.size() > 1 ? args.begin() + 1 : args.end(), args.end());
        const Value made = makeDict(in, rest, kwargs);
        made.get<Dict>().factory = args.empty() ? Value::none() : args[0];
        if (!args.empty() && !args[0].isNone() && !in.truth(in.call(*in.builtin("callable"), {args[0]})))
            in.raise("TypeError", "first argument must be callable or None");
        return made;
    });
    const auto makeSet = [](Interpreter& in, Values& args, Keywords&) -> Value {
        Set* set = in.heap().make<Set>();
        if (!args.empty()) in.builtinMethods().addTo(*set, args[0]);
        return set;
    };
    addClass("set", m_object, makeSet);
    addClass("frozenset", m_object, [makeSet](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (const auto* same = args.size() == 1 ? args[0].as<Set>() : nullptr; same && same->isFrozen) return args[0];
        const Value made = makeSet(in, args, kwargs);
        made.get<Set>().isFrozen = true;
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
            const Value index = indexOf(in, each);
            if (isProxy(index)) in.raise("TypeError", "'Proxy' object cannot be interpreted as an integer");
            each = {index.asInt()};
        }
        RangeObject* range = in.heap().make<RangeObject>();
        if (args.size() > 1) range->start = args[0].asInt();
        range->stop = args.at(args.size() > 1 ? 1 : 0).asInt();
        if (args.size() > 2) range->step = args[2].asInt();
        if (range->step == 0) in.raise("ValueError", "range() arg 3 must not be zero");
        return range;
    });
    addClass("type", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (args.size() == 1) return in.typeOf(args[0]);
        if (args.size() != 3) in.raise("TypeError", "type() takes 1 or 3 arguments");
        const std::pair<bool, const char*> given[] = {{plain(args[0]).as<Str>() != nullptr, "str"},
                                                      {plain(args[1]).as<Tuple>() != nullptr, "tuple"},
                                                      {plain(args[2]).as<Dict>() != nullptr, "dict"}};
        for (std::size_t i = 0; i < 3; ++i)
            if (!given[i].first)
                in.raise("TypeError", "type.__new__() argument " + std::to_string(i + 1) + " must be " +
                                          given[i].second + ", not " + in.typeName(args[i]));
        Class* made = in.heap().make<Class>();
        made->name = in.str(args.at(0));
        made->file = in.stack().frame->file;
        for (const Value& base : in.list(args.at(1))) {
            requireKnown(base);
            if (base.as<Class>()) made->bases.push_back(base.as<Class>());
        }
        if (made->bases.empty()) made->bases.push_back(in.builtins().m_object);
        in.classes().inherit(*made);
        plain(args[2]).get<Dict>().forEach(
            [&](const Value& key, const Value& value) { made->members.set(in.str(key), value); });
        if (const Value* path = made->members.find("__qualname__"); path && path->as<Str>())
            made->qualifiedName = path->get<Str>().text;
        made->hasGetter = made->find("__getattribute__") != nullptr;
        in.classes().subclassed(*made, kwargs);
        in.classes().findAbstract(*made, {});
        return made;
    });
    addClass("property", m_object, [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Property* property = in.heap().make<Property>();
        const auto part = [&](std::size_t place, std::string_view name) {
            const Value* named = keyword(kwargs, name);
            const Value given = place < args.size() ? args[place] : named ? *named : Value();
            return given.isNone() ? Value() : given;
        };
        property->getter = part(0, "fget").isSet() ? part(0, "fget") : Value::none();
        property->setter = part(1, "fset");
        property->deleter = part(2, "fdel");
        property->document = part(3, "doc");
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
    addClass("auto", m_object, nullptr);
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
void Builtins::addRecordMethods(Class& record) {
    const auto add = [&](const char* name, Native::Body body) {
        record.members.set(name, native(name, std::move(body)));
    };
    add("_replace", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Instance& self = recordOf(in, args);
        Values items = self.payload.get<Tuple>().items;
        const auto& fields = self.type->fields;
        for (const auto& [key, value] : kwargs) {
            const auto field = std::find(fields.begin(), fields.end(), key);
            if (field == fields.end()) in.raise("ValueError", "Got unexpected field names: ['" + key + "']");
            items[static_cast<std::size_t>(field - fields.begin())] = value;
        }
        return in.instances().makeNamedTuple(*self.type, std::move(items), {});
    });
    add("_asdict", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Instance& self = recordOf(in, args);
        Dict* all = in.heap().make<Dict>();
        for (const std::string& field : self.type->fields) all->set(in.text(field), *self.attributes.find(field));
        return all;
    });
    Wrapper* make = heap().make<Wrapper>();
    make->kind = Wrapper::Kind::Class;
    make->function = native("_make", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.instances().makeNamedTuple(*args.at(0).as<Class>(), in.list(args.at(1)), {});
    });
    record.members.set("_make", make);
}

} // namespace fx::python

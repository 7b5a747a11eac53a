// SPDX-License-Identifier: GPL-3.0-or-later
// Methods and attributes of Python's built-in objects.
#include "core/base/one_of.h"
#include "core/python/builtins/call_shapes.h"
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"
#include "core/python/values/slices.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fx::python {

namespace {
/// `dict.__getitem__` and such of objects that hold others; null for other names.
Native::Body containerOperator(const Value& object, std::string_view name) {
    const bool isSequence = object.as<List>() || object.as<Tuple>();
    const bool isChangeable = object.as<List>() || object.as<Dict>();
    if (name == "__getitem__" && (isSequence || isChangeable))
        return [object](Interpreter& in, Values& args, Keywords&) { return in.item(object, args.at(0)); };
    if (name == "__setitem__" && isChangeable)
        return [object](Interpreter& in, Values& args, Keywords&) {
            in.setItem(object, args.at(0), args.at(1));
            return Value::none();
        };
    if (name == "__delitem__" && isChangeable)
        return [object](Interpreter& in, Values& args, Keywords&) {
            in.deleteItem(object, args.at(0));
            return Value::none();
        };
    if (name == "__contains__")
        return [object](Interpreter& in, Values& args, Keywords&) { return Value(in.contains(object, args.at(0))); };
    if (name == "__len__") return [object](Interpreter& in, Values&, Keywords&) { return in.length(object); };
    if (name == "__iter__")
        return [object](Interpreter& in, Values&, Keywords&) -> Value { return in.iterate(object); };
    if (isSequence && (name == "__add__" || name == "__mul__"))
        return [object, op = name == "__add__" ? "add" : "mul"](Interpreter& in, Values& args, Keywords&) {
            return in.binary(op, object, args.at(0));
        };
    if (isSize(object) && (name == "__radd__" || name == "__rmul__"))
        return [object, op = name == "__radd__" ? "add" : "mul"](Interpreter& in, Values& args, Keywords&) {
            return in.binary(op, args.at(0), object);
        };
    return nullptr;
}
/// `(3.5).__mul__` and such; null for other names. They return NotImplemented for operands of a wider type.
Native::Body numberOperator(const Value& number, std::string_view name) {
    static constexpr std::string_view kArithmetic[] = {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow"};
    static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}, {"eq", "=="}, {"ne", "!="}};
    if (!name.starts_with("__") || !name.ends_with("__") || name.size() < 6) return nullptr;
    std::string_view op = name.substr(2, name.size() - 4), sign;
    for (const auto& [word, each] : kSigns)
        if (word == op) sign = each;
    const bool isReversed = sign.empty() && op.starts_with('r') && fx::isOneOf(op.substr(1), kArithmetic);
    if (isReversed) op.remove_prefix(1);
    if (sign.empty() && !fx::isOneOf(op, kArithmetic)) return nullptr;
    return [number, op = std::string(op), sign = std::string(sign), isReversed](Interpreter& in, Values& args,
                                                                                Keywords& kwargs) -> Value {
        if (args.size() != 1 || !kwargs.empty())
            in.raise("TypeError", "expected 1 argument, got " + std::to_string(args.size()));
        const Value other = plain(args[0]);
        const auto* wide = other.as<Traced>();
        if (wide && !isProxy(other)) // integers of more than 64 bits
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "__" + op + "__"}}));
        const bool isWider = number.kind != Value::Kind::Float && other.kind == Value::Kind::Float;
        if (!other.isNumber() || isWider) return *in.builtin("NotImplemented");
        if (!sign.empty()) return in.compare(sign, number, other);
        return isReversed ? in.binary(op, other, number) : in.binary(op, number, other);
    };
}
} // namespace

Value BuiltinMethods::builtinMethod(const Value& object, std::string_view name) {
    const Value found = unshapedMethod(object, name);
    if (auto* method = found.as<Native>(); method && !method->shape) {
        method->self = object;
        const auto* type = typeOf(object).as<Class>();
        const CallShape* shape = object.as<Tuple>() ? callShape("tuple", name)
                                 : type             ? callShape(type->name == "frozenset" ? "set" : type->name, name)
                                                    : nullptr;
        const bool isDict = !shape && object.as<Dict>();
        method->shape = isDict ? callShape("dict", name) : shape;
    }
    return found;
}

Value BuiltinMethods::unshapedMethod(const Value& object, std::string_view name) {
    const auto* view = object.as<DictView>();
    const bool holds = view || object.as<Dict>() || object.as<List>() || object.as<Tuple>() || object.as<Set>();
    if (name.starts_with("__") && holds)
        if (Native::Body body = containerOperator(object, name)) return native(std::string(name), std::move(body));
    if (auto* text = object.as<Str>()) return textMethod(*text, name);
    if (auto* list = object.as<List>()) return listMethod(*list, name);
    if (auto* dict = object.as<Dict>())
        return name == "default_factory" && dict->factory.isSet() ? dict->factory : dictMethod(*dict, name);
    if (auto* set = object.as<Set>()) return setMethod(*set, name);
    if (view && name == "isdisjoint" && view->kind != DictView::Kind::ValuesOnly)
        return setMethod(*setOf(object), name);
    if (auto* tuple = object.as<Tuple>(); tuple && (name == "count" || name == "index")) {
        List* list = listOf(tuple->items);
        return listMethod(*list, name);
    } else if (tuple) {
        const auto field = std::find(tuple->fields.begin(), tuple->fields.end(), name);
        return field == tuple->fields.end() ? Value()
                                            : tuple->items[static_cast<std::size_t>(field - tuple->fields.begin())];
    }
    if (auto* slice = object.as<SliceObject>()) {
        if (name == "indices")
            return native("indices", [slice](Interpreter& in, Values& args, Keywords&) -> Value {
                const Value size = indexOf(in, args.at(0));
                if (!size.isInt() || size.asInt() < 0) in.raise("ValueError", "length should not be negative");
                const auto [start, stop, step] = boundsOf(indexed(in, *slice), static_cast<std::size_t>(size.asInt()));
                return in.tuple({Value(start), Value(stop), Value(step)});
            });
        return name == "start" ? slice->start : name == "stop" ? slice->stop : name == "step" ? slice->step : Value();
    }
    if (auto* range = object.as<RangeObject>()) {
        if (name == "start") return {range->start};
        if (name == "stop") return {range->stop};
        if (name == "step") return {range->step};
        if (name == "index" || name == "count")
            return native(std::string(name),
                          [range, counts = name == "count"](Interpreter& in, Values& args, Keywords&) -> Value {
                              const Value wanted = plainValue(args.at(0));
                              const std::int64_t at = wanted.isInt() ? range->find(wanted.asInt()) : -1;
                              if (!counts && at < 0) in.raise("ValueError", in.repr(args[0]) + " is not in range");
                              return {counts ? std::int64_t{at >= 0} : at};
                          });
    }
    if (auto* iterator = object.as<Iterator>()) return iteratorMethod(*iterator, name);
    if (object.isNumber()) {
        if (Native::Body body = numberOperator(object, name)) return native(std::string(name), std::move(body));
        if (name == "real") return object.kind == Value::Kind::Bool ? Value(object.asInt()) : object;
        if (name == "is_integer")
            return native("is_integer", [object](Interpreter&, Values&, Keywords&) -> Value {
                return {std::isfinite(object.asReal()) && object.asReal() == std::floor(object.asReal())};
            });
        if (name == "bit_length")
            return native("bit_length", [object](Interpreter&, Values&, Keywords&) -> Value {
                const auto value = static_cast<std::uint64_t>(object.asInt());
                return {static_cast<std::int64_t>(std::bit_width(object.asInt() < 0 ? 0 - value : value))};
            });
    }
    return {};
}

} // namespace fx::python

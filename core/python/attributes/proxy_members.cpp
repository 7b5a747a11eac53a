// SPDX-License-Identifier: GPL-3.0-or-later
// What a proxy has by the names of Python's special methods: members of its class, and no attributes of what it stands
// for.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// Operators of torch.fx `magic_methods`, as `operator` names them.
constexpr std::string_view kUnary[] = {"pos", "neg", "invert"};
constexpr std::string_view kComparisons[] = {"eq", "ne", "lt", "gt", "le", "ge"};
/// Those of `reflectable_magic_methods`.
constexpr std::string_view kBinary[] = {"add",    "sub",    "mul",  "floordiv", "truediv", "mod",     "pow",
                                        "lshift", "rshift", "and_", "or_",      "xor",     "getitem", "matmul"};
/// Members whose results Lancet does not have.
constexpr std::string_view kOthers[] = {"__deepcopy__", "__dir__",     "__getstate__",      "__init__",
                                        "__new__",      "__reduce__",  "__reduce_ex__",     "__setstate__",
                                        "__sizeof__",   "__weakref__", "__init_subclass__", "__subclasshook__",
                                        "__dict__",     "__doc__",     "__torch_function__"};

template<std::size_t N> bool has(const std::string_view (&names)[N], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}
} // namespace

/// The method of an operator: unset if `name` is none.
Value Attributes::proxyOperator(const Value& object, std::string_view name) {
    const auto record = [&](std::string op, bool isReflected) {
        return native(
            std::string(name),
            [object, op = std::move(op), isReflected](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
                const bool isUnary = has(kUnary, op);
                if (args.size() != (isUnary ? 0 : 1) || !kwargs.empty() || (isReflected && tensorIn(args[0])))
                    throw CannotFollow(Message("trace.not_computed", {{"function", "Proxy.__" + op + "__"}}));
                const trace::Value self = in.toTrace(object);
                if (isUnary) return in.fromTrace(in.tracer().unary(op, self));
                const trace::Value other = in.toTrace(args[0]);
                return in.fromTrace(isReflected ? in.tracer().binary(op, other, self)
                                                : in.tracer().binary(op, self, other));
            });
    };
    const std::string_view inner = name.substr(2, name.size() - 4);
    const std::string keyword = std::string(inner) + "_"; // and, or
    if (has(kUnary, inner) || has(kComparisons, inner) || has(kBinary, inner)) return record(std::string(inner), false);
    if (has(kBinary, keyword)) return record(keyword, false);
    if (!inner.starts_with('r')) return {};
    const std::string_view reflected = inner.substr(1);
    if (has(kBinary, reflected)) return record(std::string(reflected), true);
    return has(kBinary, keyword.substr(1)) ? Value(record(keyword.substr(1), true)) : Value();
}

Value Attributes::proxyMember(const Value& object, std::string_view name) {
    const auto* frame = stack().frame;
    const bool isGenerated = frame && frame->file && frame->file->isGenerated; // which says `x.__add__(1)` of a method
    if (isGenerated || !name.starts_with("__") || !name.ends_with("__") || name.size() < 5) return {};
    if (const Value made = proxyOperator(object, name); made.isSet()) return made;
    const auto method = [&](const std::function<Value(Interpreter&, Values&)>& body, std::size_t count) {
        return native(
            std::string(name),
            [body, count, name = std::string(name)](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
                if (args.size() != count || !kwargs.empty())
                    throw CannotFollow(Message("trace.not_computed", {{"function", "Proxy." + name}}));
                return body(in, args);
            });
    };
    if (name == "__module__") return text("torch.fx.proxy");
    if (name == "__repr__" || name == "__str__")
        return method([object](Interpreter& in, Values&) { return in.text(in.repr(object)); }, 0);
    if (name == "__format__")
        return method([object](Interpreter& in, Values& args) { return in.text(in.format(object, in.str(args[0]))); },
                      1);
    if (name == "__bool__") return method([object](Interpreter& in, Values&) { return Value(in.truth(object)); }, 0);
    if (name == "__len__") return method([object](Interpreter& in, Values&) { return in.length(object); }, 0);
    if (name == "__iter__") return method([object](Interpreter& in, Values&) { return in.iterate(object); }, 0);
    for (const auto& [special, function] : {std::pair("__abs__", "abs"), std::pair("__hash__", "hash")})
        if (name == special)
            return method([object, of = *builtin(function)](Interpreter& in, Values&) { return in.call(of, {object}); },
                          0);
    if (name == "__setattr__")
        return method(
            [object](Interpreter& in, Values& args) {
                in.setAttribute(object, in.str(args[0]), args[1]);
                return Value::none();
            },
            2);
    if (name == "__delattr__")
        return method(
            [object](Interpreter& in, Values& args) {
                in.attributeChanges().removeAttribute(object, in.str(args[0]));
                return Value::none();
            },
            1);
    if (name == "__getattr__")
        return method(
            [object](Interpreter& in, Values& args) {
                return in.fromTrace(in.tracer().attribute(object.get<Traced>().value, in.str(args[0])));
            },
            1);
    if (name == "__getattribute__")
        return method(
            [object](Interpreter& in, Values& args) -> Value {
                const std::string asked = in.str(args[0]);
                const auto& own = object.get<Traced>().attributes;
                if (const Value* set = own ? own->find(asked) : nullptr) return *set;
                if (const Value member = in.attributes().proxyMember(object, asked); member.isSet()) return member;
                if (asked == "__class__" || asked == "__call__" || asked == "node" || asked == "tracer" ||
                    asked == "keys")
                    return in.attribute(object, asked);
                in.raise("AttributeError", "'" + in.typeName(object) + "' object has no attribute '" + asked + "'");
            },
            1);
    if (name == "__div__" || name == "__rdiv__")
        return method([](Interpreter& in,
                         Values&) -> Value { in.raise("AttributeError", "module 'operator' has no attribute 'div'"); },
                      1);
    if (!has(kOthers, name)) return {};
    if (name == "__dict__" || name == "__doc__" || name == "__weakref__")
        throw CannotFollow(Message("trace.not_computed", {{"function", "Proxy." + std::string(name)}}));
    return native(std::string(name), [name = std::string(name)](Interpreter&, Values&, Keywords&) -> Value {
        throw CannotFollow(Message("trace.not_computed", {{"function", "Proxy." + name}}));
    });
}

} // namespace fx::python

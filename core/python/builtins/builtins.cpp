// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions of numbers, and printed lines.
#include "core/base/utf8.h"
#include "core/python/builtins/call_shapes.h"
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fx::python {

void Builtins::finishLine() {
    if (m_unfinished.empty()) return;
    if (m_unfinished.ends_with('\n')) m_unfinished.pop_back();
    m_in.printed(std::exchange(m_unfinished, {}));
}

namespace {
/// `pow(base, exponent, modulus)` by squaring, in integers of any size.
Value powerModulo(Interpreter& in, const Value& base, std::int64_t exponent, const Value& modulus) {
    Value out = in.binary("mod", Value(std::int64_t{1}), modulus), factor = in.binary("mod", base, modulus);
    for (; exponent; exponent >>= 1, factor = in.binary("mod", in.binary("mul", factor, factor), modulus))
        if (exponent & 1) out = in.binary("mod", in.binary("mul", out, factor), modulus);
    return out;
}
/// The number whose product with `value` is 1 modulo `modulus`.
std::int64_t inverse(Interpreter& in, std::int64_t value, std::int64_t modulus) {
    const std::int64_t size = std::abs(modulus);
    std::int64_t a = value % size, b = size, x = 1, y = 0; // a == x * value modulo size, b == y * value
    for (a += a < 0 ? size : 0; b != 0;) {
        const std::int64_t whole = a / b;
        x = std::exchange(y, x - whole * y);
        a = std::exchange(b, a - whole * b);
    }
    if (a != 1 && size != 1) in.raise("ValueError", "base is not invertible for the given modulus");
    return x;
}
/// To so many zeros at the end, half to even.
std::int64_t roundedTo(std::int64_t value, std::int64_t zeros) {
    if (zeros > 18) return 0;
    std::int64_t step = 1;
    for (; zeros > 0; --zeros) step *= 10;
    std::int64_t below = value / step - (value % step < 0), rest = value - below * step;
    if (rest > step - rest || (rest == step - rest && below % 2 != 0)) ++below;
    return below * step;
}
/// `round(value, digits)` of the exact decimal value, half to even.
double roundedTo(Interpreter& in, double value, std::int64_t digits) {
    if (!std::isfinite(value) || value == 0 || digits > 323) return value;
    if (digits < -308) return std::copysign(0.0, value);
    char buffer[800];
    if (digits >= 0) {
        std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(digits), value);
        return std::strtod(buffer, nullptr);
    }
    std::snprintf(buffer, sizeof buffer, "%.17e", value);
    const auto shown = std::atoi(std::strchr(buffer, 'e') + 1) + digits; // digits behind the first that remain
    const double step = std::pow(10.0, static_cast<double>(-digits));
    if (shown < -1) return std::copysign(0.0, value);
    if (shown == -1) return std::copysign(std::fabs(value) > step / 2 ? step : 0.0, value);
    std::snprintf(buffer, sizeof buffer, "%.*e", static_cast<int>(shown), value);
    const double rounded = std::strtod(buffer, nullptr);
    if (std::isinf(rounded)) in.raise("OverflowError", "rounded value too large to represent");
    return rounded;
}
/// Raises TypeError unless the value is a number, a tensor or a proxy.
void requireNumber(Interpreter& in, const Value& given, const std::string& message) {
    const Value value = plain(given);
    if (!value.isNumber() && !value.as<Traced>()) in.raise("TypeError", message + ": '" + in.typeName(given) + "'");
}
/// ASCII text with what is beyond it as `\x`, `\u` and `\U`.
std::string escaped(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        char32_t point = 0;
        const std::size_t length = std::max<std::size_t>(1, decodeUtf8(text.substr(at), point));
        char code[16] = {};
        const char* form = point < 0x100 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x";
        if (length > 1) std::snprintf(code, sizeof code, form, static_cast<unsigned>(point));
        out += length > 1 ? std::string(code) : std::string(text.substr(at, length));
        at += length;
    }
    return out;
}
} // namespace

void Builtins::shapeBuiltins() {
    const auto builtins = m_builtins.items();
    for (const auto& [name, value] : builtins) {
        const auto* type = value.as<Class>();
        const Value* make = type ? type->members.find("__lancet_call__") : &value;
        const CallShape* shape = callShape({}, name);
        if (auto* made = shape && make ? make->as<Native>() : nullptr) made->shape = shape;
    }
}

void Builtins::addBuiltins() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    const auto addPlain = [&](const char* name) {
        add(name, [name](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            for (Value& each : args)
                if (const Value own = in.specialMethod(each, "__index__"); own.isSet()) each = indexOf(in, each);
            const Value given = args.empty() ? Value() : plain(args[0]);
            const bool isWide = given.isInt() ? given.asInt() != static_cast<std::int32_t>(given.asInt())
                                              : in.typeOf(given).as<Class>() == in.builtinClass("int");
            if (isWide && std::string_view(name) == "chr")
                in.raise("OverflowError", "Python int too large to convert to C int");
            const bool isOrd = std::string_view(name) == "ord";
            if (isOrd && (given.as<List>() || given.as<Tuple>() || given.as<Dict>() || given.as<Set>()))
                in.raise("TypeError", "ord() expected string of length 1, but " + in.typeName(args[0]) + " found");
            const std::int64_t length = given.as<Str>() && isOrd ? in.length(given).asInt() : 1;
            if (length != 1)
                in.raise("TypeError",
                         "ord() expected a character, but string of length " + std::to_string(length) + " found");
            return in.calls().callNumbers(name, args, kwargs);
        });
    };
    for (const char* name : {"divmod", "chr", "ord", "bin", "hex", "oct"}) addPlain(name);
    add("divmod", [recorded = *m_builtins.find("divmod")](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (std::any_of(args.begin(), args.end(), isProxy)) return in.call(recorded, args, kwargs);
        const Value first = args.at(0), second = args.at(1);
        if (const Value made = in.operators().combinedByMethod("divmod", first, second); made.isSet()) return made;
        const Value left = plain(first), right = plain(second); // of ints, whatever their classes say of `//`
        const auto isRefused = [](const Value& each) {
            const auto* traced = each.as<Traced>();
            const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
            return traced ? argument && (argument->as<Complex>() || argument->as<Bytes>())
                          : !each.isNumber() && !each.as<Opaque>();
        };
        if (isRefused(left) || isRefused(right))
            in.raise("TypeError", "unsupported operand type(s) for divmod(): '" + in.typeName(first) + "' and '" +
                                      in.typeName(second) + "'");
        const bool isReal = left.kind == Value::Kind::Float || right.kind == Value::Kind::Float;
        if (isReal && right.isNumber() && right.asReal() == 0) in.raise("ZeroDivisionError", "float divmod()");
        return in.tuple({in.binary("floordiv", left, right), in.binary("mod", left, right)});
    });
    add("pow", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        for (const char* name : {"base", "exp", "mod"})
            if (const Value* given = keyword(kwargs, name)) args.push_back(*given);
        if (args.size() < 3 || args[2].isNone()) return in.binary("pow", args.at(0), args.at(1));
        const Value &base = plainValue(args[0]), &exponent = plainValue(args[1]), &modulus = plainValue(args[2]);
        if (const Value own = in.specialMethod(args[0], "__pow__"); own.isSet())
            return in.call(own, {args[1], args[2]});
        if (isProxy(base)) return in.call(in.attribute(base, "__pow__"), {args[1], args[2]});
        if (!base.isInt() || !exponent.isInt() || !modulus.isInt())
            in.raise("TypeError", "pow() 3rd argument not allowed unless all arguments are integers");
        if (modulus.asInt() == 0) in.raise("ValueError", "pow() 3rd argument cannot be 0");
        if (exponent.asInt() == INT64_MIN || modulus.asInt() == INT64_MIN)
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "pow"}}));
        if (exponent.asInt() < 0)
            return powerModulo(in, {inverse(in, base.asInt(), modulus.asInt())}, -exponent.asInt(), modulus);
        return powerModulo(in, base, exponent.asInt(), modulus);
    });
    add("__import__", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const std::string name = in.str(args.at(0));
        const Value* given = keyword(kwargs, "fromlist");
        const bool isPart = args.size() > 3 ? in.truth(args[3]) : given && in.truth(*given);
        if (args.size() > 4 || keyword(kwargs, "level"))
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "__import__"}}));
        const Value found = in.importModule(name, false);
        if (!found.isSet()) in.raise("ModuleNotFoundError", "No module named '" + name + "'");
        return isPart ? found : in.importModule(name.substr(0, name.find('.')), false);
    });
    add("ascii",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.text(escaped(in.repr(args.at(0)))); });
    add("abs", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        if (value.isInt() && value.asInt() == INT64_MIN)
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "abs(" + in.repr(value) + ")"}}));
        if (value.isInt()) return {std::abs(value.asInt())};
        if (value.isNumber()) return {std::abs(value.asReal())};
        if (const Value own = in.specialMethod(value, "__abs__"); own.isSet()) return in.call(own, {});
        requireNumber(in, value, "bad operand type for abs()");
        return in.calls().callNumbers("abs", {value}, {});
    });
    add("round", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        if (const Value own = in.specialMethod(value, "__round__"); own.isSet())
            return in.call(own, Values(args.begin() + 1, args.end()));
        const std::int64_t digits = args.size() > 1 && !args[1].isNone() ? indexOf(in, args[1]).asInt() : 0;
        if (value.isInt()) return {digits < 0 ? roundedTo(value.asInt(), -digits) : value.asInt()};
        if (!value.isNumber()) {
            if (!plain(value).isNumber() && !value.as<Traced>())
                in.raise("TypeError", "type " + in.typeName(value) + " doesn't define __round__ method");
            return in.calls().callNumbers("round", {value}, {});
        }
        if (args.size() > 1 && !args[1].isNone()) return {roundedTo(in, value.asReal(), digits)};
        return integerOf(in, "round", std::nearbyint(value.asReal()));
    });
}

} // namespace fx::python

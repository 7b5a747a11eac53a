// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions of numbers, and printed lines.
#include "core/base/utf8.h"
#include "core/python/interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cmath>

namespace fx::python {

void Interpreter::finishLine() {
    if (m_unfinished.empty()) return;
    if (m_unfinished.ends_with('\n')) m_unfinished.pop_back();
    printed(std::exchange(m_unfinished, {}));
}

namespace {
/// `pow(base, exponent, modulus)` by squaring, in integers of any size.
Value powerModulo(Interpreter& in, const Value& base, std::int64_t exponent, const Value& modulus) {
    Value out = in.binary("mod", Value(std::int64_t{1}), modulus), factor = in.binary("mod", base, modulus);
    for (; exponent; exponent >>= 1, factor = in.binary("mod", in.binary("mul", factor, factor), modulus))
        if (exponent & 1) out = in.binary("mod", in.binary("mul", out, factor), modulus);
    return out;
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
    for (const char* name : {"divmod", "chr", "ord", "bin", "hex", "oct"}) plain(name);
    add("divmod", [recorded = *m_builtins.find("divmod")](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (std::any_of(args.begin(), args.end(), isProxy)) return in.call(recorded, args, kwargs);
        return in.tuple({in.binary("floordiv", args.at(0), args.at(1)), in.binary("mod", args[0], args[1])});
    });
    add("pow", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        for (const char* name : {"base", "exp", "mod"})
            if (const Value* given = keyword(kwargs, name)) args.push_back(*given);
        if (args.size() < 3 || args[2].isNone()) return in.binary("pow", args.at(0), args.at(1));
        const Value &base = plainValue(args[0]), &exponent = plainValue(args[1]), &modulus = plainValue(args[2]);
        if (!base.isInt() || !exponent.isInt() || !modulus.isInt() || exponent.asInt() < 0)
            in.raise("TypeError", "pow() 3rd argument not allowed unless all arguments are integers");
        if (modulus.asInt() == 0) in.raise("ValueError", "pow() 3rd argument cannot be 0");
        return powerModulo(in, base, exponent.asInt(), modulus);
    });
    add("ascii",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.text(escaped(in.repr(args.at(0)))); });
    add("abs", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        if (value.isInt()) return {std::abs(value.asInt())};
        if (value.isNumber()) return {std::abs(value.asReal())};
        if (const Value own = in.specialMethod(value, "__abs__"); own.isSet()) return in.call(own, {});
        return in.fromTrace(in.tracer().call(trace::resolveName("builtins.abs"), {in.toOperand(value, false)}, {}));
    });
    add("round", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value& value = args.at(0);
        if (const Value own = in.specialMethod(value, "__round__"); own.isSet())
            return in.call(own, Values(args.begin() + 1, args.end()));
        const std::int64_t digits = args.size() > 1 && args[1].isInt() ? args[1].asInt() : 0;
        if (value.isInt()) return {digits < 0 ? roundedTo(value.asInt(), -digits) : value.asInt()};
        if (value.isNumber() && digits < 0 && args[1].isInt()) {
            const double step = std::pow(10.0, static_cast<double>(-digits));
            return {std::isfinite(step) ? std::nearbyint(value.asReal() / step) * step : 0.0};
        }
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions of numbers, and printed lines.
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of functions of sources, and of builtins that go over values.
#include "core/pysrc/source_error.h"
#include "core/trace/function_interpreter.h"

#include <algorithm>
#include <utility>

namespace fx::trace {
namespace {

std::string missing(const SourceFunction& function, std::string_view parameter) {
    return "TypeError: " + function.name + "() missing required argument: '" + std::string(parameter) + "'";
}

} // namespace

/// What torch.fx sees of a function are the parameters of the one that it wraps (inspect.unwrap); what runs is the
/// function itself.
void FunctionInterpreter::traceFunction(const SourceFunction& function) {
    const SourceFunction* shown = &function;
    while (shown->wraps) shown = shown->wraps.get();
    static const py::Stmt kNoHead;
    m_locals = function.closure && shown == &function ? *function.closure : LocalNames();
    makePlaceholders(shown->lambda ? kNoHead : m_tree[shown->head], shown->parameters);
    if (shown == &function && !function.lambda) return traceBody(function);
    Values args;
    KeywordValues kwargs;
    for (const auto& parameter : shown->parameters) {
        if (parameter.kind == py::Parameter::Kind::KeywordOnly)
            kwargs.emplace_back(parameter.name, *local(parameter.name));
        else args.push_back(*local(parameter.name));
    }
    m_inFunction = true;
    m_result = callSource(function, std::move(args), std::move(kwargs));
    finish();
}

void FunctionInterpreter::traceFunction(const std::string& name) {
    const auto failed = [&](const Message& why, const std::string& hint) {
        const Error place = py::sourceError(m_tree.source(), m_offset, why);
        py::SourceError error(ErrorKind::Refused,
                              Message("trace.function_failed", {{"name", name}, {"reason", why.text()}}));
        error.offset = m_offset;
        error.at(place.textPlace).quoting(place.source).hinting(hint);
        return error;
    };
    try {
        runModuleLevel();
        const Value* function = global(name);
        if (!function) requireGlobal(name);
        if (!function->as<SourceFunction>()) throw CannotFollow(Message("trace.not_a_function"));
        traceFunction(*function->as<SourceFunction>());
    } catch (const Stop& stop) {
        throw failed(stop.message(), stop.message().hint());
    } catch (const Error& error) { // for example, of a module that a subclass cannot create
        throw failed(error.message(), error.hint);
    }
}

void FunctionInterpreter::traceMethod(const SourceFunction& function, const Value& self) {
    enter(m_tree[function.head]);
    m_running = &function;
    m_self = self;
    traceBody(function);
}

void FunctionInterpreter::traceBody(const SourceFunction& function) {
    m_inFunction = true;
    m_result = resultOf(function);
    finish();
}

/// Runs the body with the names that are bound.
Value FunctionInterpreter::resultOf(const SourceFunction& function) {
    if (function.lambda) return evaluate(*function.lambda->items[0]);
    m_returnValue = none();
    runBody(function.head);
    return std::exchange(m_returnValue, none());
}

Value FunctionInterpreter::callSource(const SourceFunction& function, Values args, KeywordValues kwargs) {
    const Depth depth(m_calls, m_callLimit, "calls");
    LocalNames names = function.closure ? *function.closure : LocalNames();
    if (function.self) args.insert(args.begin(), *function.self);
    bindParameters(function, std::move(args), std::move(kwargs), names);
    /// What the caller has, also after an exception that the caller handles.
    struct Frame {
        FunctionInterpreter& in;
        LocalNames names;
        bool wasInFunction;
        const SourceFunction* running;
        Value self;
        std::size_t offset;
        void leave() const { in.m_offset = offset; } // not after an exception, which is reported where it was thrown
        ~Frame() {
            std::swap(names, in.m_locals);
            in.m_inFunction = wasInFunction;
            in.m_running = running;
            in.m_self = std::move(self);
        }
    };
    const Frame frame{*this,
                      std::exchange(m_locals, std::move(names)),
                      std::exchange(m_inFunction, true),
                      std::exchange(m_running, &function),
                      std::exchange(m_self, function.self ? *function.self : none()),
                      m_offset};
    Value result = resultOf(function);
    frame.leave();
    return result;
}

void FunctionInterpreter::bindParameters(const SourceFunction& function, Values args, KeywordValues kwargs,
                                         LocalNames& names) {
    using Parameter = py::Parameter;
    std::size_t place = 0;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const Parameter& parameter = function.parameters[i];
        const auto named =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == parameter.name; });
        if (parameter.kind == Parameter::Kind::VarArgs) {
            names.bind(
                parameter.name,
                tupleOf(Values(args.begin() + static_cast<std::ptrdiff_t>(std::min(place, args.size())), args.end())));
            place = args.size();
        } else if (parameter.kind == Parameter::Kind::VarKeywords) {
            ValueDict dict;
            for (auto& [key, value] : kwargs) dict.items.emplace_back(Value{Argument(key)}, value);
            names.bind(parameter.name, box(std::move(dict)));
            kwargs.clear();
        } else if (parameter.kind == Parameter::Kind::Normal && place < args.size()) {
            if (named != kwargs.end())
                throw PythonError("TypeError: " + function.name + "() got multiple values for argument '" +
                                  std::string(parameter.name) + "'");
            names.bind(parameter.name, args[place++]);
        } else if (named != kwargs.end()) {
            names.bind(parameter.name, named->second);
            kwargs.erase(named);
        } else if (function.defaults[i]) {
            names.bind(parameter.name, *function.defaults[i]);
        } else {
            throw PythonError(missing(function, parameter.name));
        }
    }
    if (place < args.size())
        throw PythonError("TypeError: " + function.name + "() takes " + std::to_string(place) +
                          " positional arguments but " + std::to_string(args.size()) + " were given");
    if (!kwargs.empty())
        throw PythonError("TypeError: " + function.name + "() got an unexpected keyword argument '" + kwargs[0].first +
                          "'");
}

Value FunctionInterpreter::callValue(const Value& callee, Values args, KeywordValues kwargs) {
    if (const auto* function = callee.as<SourceFunction>())
        return callSource(*function, std::move(args), std::move(kwargs));
    if (const auto* made = callee.as<Construction>(); made && made->type->name == "partial" && !made->args.empty()) {
        args.insert(args.begin(), made->args.begin() + 1, made->args.end());
        for (const auto& [key, value] : made->kwargs)
            if (std::none_of(kwargs.begin(), kwargs.end(),
                             [name = &key](const auto& given) { return given.first == *name; }))
                kwargs.emplace_back(key, value);
        return callValue(made->args[0], std::move(args), std::move(kwargs));
    }
    if (const auto* function = callee.as<FunctionValue>(); function && function->path.starts_with("builtins."))
        if (auto value = callBuiltin(*function, args, kwargs)) return std::move(*value);
    return Evaluator::callValue(callee, std::move(args), std::move(kwargs));
}

/// Builtins that go over values, which may hold proxies; what they give is drawn one by one, as in Python.
std::optional<Value> FunctionInterpreter::callBuiltin(const FunctionValue& function, Values& args,
                                                      const KeywordValues& kwargs) {
    const std::string_view name = std::string_view(function.path).substr(9);
    const auto numbered = [](std::size_t i) { return Value{Argument(static_cast<std::int64_t>(i))}; };
    if (args.empty()) return std::nullopt;
    if (name == "iter" && args.size() == 1) return lazy(drawing(args[0]));
    if (name == "next" && args[0].as<LazyValues>()) {
        if (auto item = args[0].as<LazyValues>()->next()) return item;
        return args.size() > 1 ? args[1] : throw PythonError("StopIteration");
    }
    if (name == "enumerate") {
        const Value start = args.size() > 1 ? args[1] : !kwargs.empty() ? kwargs[0].second : numbered(0);
        return lazy([this, start, numbered, draw = drawing(args[0]),
                     count = std::make_shared<std::size_t>(0)]() -> std::optional<Value> {
            const auto item = draw();
            return item ? std::optional(tupleOf({m_tracer.binary("add", start, numbered((*count)++)), *item}))
                        : std::nullopt;
        });
    }
    if (name == "sum" && kwargs.empty()) {
        Value total = args.size() > 1 ? args[1] : numbered(0);
        for (const Draw draw = drawing(args[0]); const auto item = draw();)
            total = m_tracer.binary("add", total, *item);
        return total;
    }
    if (name == "map" || name == "zip") return columns(args, name == "map");
    for (Value& arg : args) arg = drawn(arg);
    if (name != "reversed" || args.size() != 1) return std::nullopt;
    Values items = iterate(args[0]);
    std::reverse(items.begin(), items.end());
    return listOf(std::move(items));
}

/// `zip(...)`, or `map(args[0], ...)`.
Value FunctionInterpreter::columns(const Values& args, bool maps) {
    std::vector<Draw> draws;
    for (std::size_t i = maps ? 1 : 0; i < args.size(); ++i) draws.push_back(drawing(args[i]));
    return lazy([this, draws, function = maps ? args[0] : none(), maps]() -> std::optional<Value> {
        Values row;
        for (const Draw& draw : draws) {
            auto item = draw();
            if (!item) return std::nullopt;
            row.push_back(std::move(*item));
        }
        if (row.empty()) return std::nullopt;
        return maps ? callValue(function, std::move(row), {}) : tupleOf(std::move(row));
    });
}

} // namespace fx::trace

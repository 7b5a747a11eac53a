// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/interpreter.h"

#include "core/trace/callables.h"
#include "core/trace/number_functions.h"

#include <algorithm>

namespace fx::trace {
namespace {

using Kind = py::StmtKind;

constexpr std::string_view kUsualImports = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n";

std::string missing(const SourceFunction& function, std::string_view parameter) {
    return "TypeError: " + function.name + "() missing required argument: '" + std::string(parameter) + "'";
}

/// Counts something down again when a block is left, also by an exception.
struct Depth {
    Depth(std::size_t& count, std::size_t limit, const char* what) : m_count(count) {
        if (++m_count > limit) {
            --m_count;
            throw CannotFollow(std::string(what) + " nest deeper than " + std::to_string(limit));
        }
    }
    ~Depth() { --m_count; }
    std::size_t& m_count;
};

} // namespace

/// Expressions are followed by recursion, calls in the middle of them: both together are bounded.
Interpreter::Interpreter(Tracer& tracer, const py::SourceTree& tree) : Evaluator(tracer), m_tree(tree) {
    constexpr std::size_t kMaxLevels = 6000;
    std::size_t deepest = 1;
    for (std::size_t at = 0; at < tree.size(); ++at)
        if (tree[at].value) deepest = std::max<std::size_t>(deepest, tree[at].value->depth);
    m_callLimit = std::min(kMaxCalls, kMaxLevels / deepest);
}

// ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────

void Interpreter::runModuleLevel() {
    py::Parser usual(kUsualImports);
    for (py::Stmt statement; usual.next(statement);) executeModuleLevel(statement);
    for (std::size_t at = 0; at < m_tree.size();) {
        const py::Stmt& statement = m_tree[at];
        const std::size_t next = statement.kind == Kind::Def || statement.kind == Kind::Class || statement.kind == Kind::If || statement.kind == Kind::For ||
                                         statement.kind == Kind::While || statement.kind == Kind::Else || statement.kind == Kind::Elif || statement.kind == Kind::Unsupported
                                     ? m_tree.bodyEnd(at)
                                     : at + 1;
        step(statement);
        try {
            if (statement.kind == Kind::Def) m_globals.insert_or_assign(std::string(statement.text), functionOf(at));
            else if (statement.kind == Kind::Class) m_globals.insert_or_assign(std::string(statement.text), classOf(at));
            else if (next == at + 1) executeModuleLevel(statement);
        } catch (const CannotFollow&) {
        } catch (const PythonError&) {
        }
        at = next;
    }
}

const Value* Interpreter::global(std::string_view name) const {
    const auto found = m_globals.find(name);
    return found == m_globals.end() ? nullptr : &found->second;
}

Value Interpreter::functionOf(std::size_t head) {
    const py::Stmt& def = m_tree[head];
    SourceFunction function;
    function.name = def.text;
    function.head = head;
    function.parameters = def.parameters;
    function.defaults = defaultsOf(def.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value Interpreter::lambdaValue(const py::Expr& lambda) {
    SourceFunction function;
    function.name = "<lambda>";
    function.lambda = &lambda;
    function.parameters = lambda.parameters;
    function.defaults = defaultsOf(lambda.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value Interpreter::classOf(std::size_t head) { throw CannotFollow("the class " + std::string(m_tree[head].text) + " cannot be followed here"); }

std::vector<std::optional<Value>> Interpreter::defaultsOf(std::span<const py::Parameter> parameters) {
    std::vector<std::optional<Value>> defaults;
    for (const auto& parameter : parameters) defaults.push_back(parameter.defaultValue ? std::optional(evaluate(*parameter.defaultValue)) : std::nullopt);
    return defaults;
}

// ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────

void Interpreter::step(const py::Stmt& statement) {
    m_offset = statement.offset;
    m_steps += 1 + (statement.value ? statement.value->depth : 0);
    if (m_steps > kMaxSteps) throw CannotFollow("more than " + std::to_string(kMaxSteps) + " steps are run; this may never end");
}

Interpreter::Flow Interpreter::runBlock(std::size_t begin, std::size_t end) {
    const Depth depth(m_blocks, kMaxBlocks, "blocks");
    for (std::size_t at = begin; at < end;) {
        step(m_tree[at]);
        const Flow flow = m_tree[at].kind == Kind::If ? runIf(at, end) : runStatement(at);
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Interpreter::Flow Interpreter::runBody(std::size_t head) {
    const std::size_t end = m_tree.bodyEnd(head);
    if (end == head + 1) throw PythonError("IndentationError: expected an indented block after '" + std::string(m_tree[head].kind == Kind::Def ? "def" : m_tree[head].text) + "'");
    return runBlock(head + 1, end);
}

/// One statement and its body; leaves `at` behind it.
Interpreter::Flow Interpreter::runStatement(std::size_t& at) {
    const std::size_t here = at;
    const py::Stmt& statement = m_tree[here];
    at = here + 1;
    switch (statement.kind) {
    case Kind::Return: m_returnValue = statement.value ? evaluate(*statement.value) : none(); return Flow::Return;
    case Kind::Break: return Flow::Break;
    case Kind::Continue: return Flow::Continue;
    case Kind::Assert:
        if (!m_tracer.truth(evaluate(*statement.value))) throw PythonError("AssertionError");
        return Flow::Next;
    case Kind::Def:
        m_locals.bind(statement.text, functionOf(here));
        at = m_tree.bodyEnd(here);
        return Flow::Next;
    case Kind::For:
    case Kind::While: {
        at = m_tree.bodyEnd(here);
        const bool hasElse = at < m_tree.size() && m_tree[at].kind == Kind::Else && m_tree[at].indent == statement.indent && !m_tree[at].continuesLine;
        if (hasElse) throw CannotFollow("the else of a loop cannot be followed");
        return runLoop(here);
    }
    case Kind::Elif:
    case Kind::Else: throw CannotFollow("invalid syntax: '" + std::string(statement.text) + "' without 'if'");
    default: execute(statement); return Flow::Next;
    }
}

Interpreter::Flow Interpreter::runIf(std::size_t& at, std::size_t end) {
    std::optional<std::size_t> chosen;
    for (const std::uint32_t indent = m_tree[at].indent;;) {
        const py::Stmt& head = m_tree[at];
        if (!chosen && (head.kind == Kind::Else || m_tracer.truth(evaluate(*head.value)))) chosen = at;
        at = m_tree.bodyEnd(at);
        const bool goesOn = head.kind != Kind::Else && at < end && (m_tree[at].kind == Kind::Elif || m_tree[at].kind == Kind::Else) && m_tree[at].indent == indent;
        if (!goesOn) break;
    }
    return chosen ? runBody(*chosen) : Flow::Next;
}

/// The body once: nothing when the loop goes on.
std::optional<Interpreter::Flow> Interpreter::runLoopBody(std::size_t head) {
    step(m_tree[head]);
    const Flow flow = runBody(head);
    if (flow == Flow::Return) return flow;
    return flow == Flow::Break ? std::optional(Flow::Next) : std::nullopt;
}

Interpreter::Flow Interpreter::runLoop(std::size_t head) {
    const py::Stmt& statement = m_tree[head];
    if (statement.kind == Kind::While) {
        while (m_tracer.truth(evaluate(*statement.value)))
            if (const auto end = runLoopBody(head)) return *end;
        return Flow::Next;
    }
    for (const Draw draw = drawing(evaluate(*statement.value)); const auto item = draw();) {
        assignTo(*statement.targets[0], *item);
        if (const auto end = runLoopBody(head)) return *end;
    }
    return Flow::Next;
}

// ── functions ────────────────────────────────────────────────────────────────────────────────────────────────────

void Interpreter::traceFunction(const SourceFunction& function) {
    enterFunction(m_tree[function.head]);
    traceBody(function);
}

void Interpreter::traceMethod(const SourceFunction& function, const Value& self) {
    enter(m_tree[function.head]);
    m_running = &function;
    m_self = self;
    traceBody(function);
}

void Interpreter::traceBody(const SourceFunction& function) {
    m_inFunction = true;
    m_returnValue = none();
    runBody(function.head);
    m_result = m_returnValue;
    finish();
}

Value Interpreter::callSource(const SourceFunction& function, Values args, KeywordValues kwargs) {
    const Depth depth(m_calls, m_callLimit, "calls");
    LocalNames names = function.closure ? *function.closure : LocalNames();
    if (function.self) args.insert(args.begin(), *function.self);
    const Value self = function.self ? *function.self : none();
    bindParameters(function, std::move(args), std::move(kwargs), names);
    std::swap(names, m_locals);
    const bool wasInFunction = std::exchange(m_inFunction, true);
    const auto* running = std::exchange(m_running, &function);
    const Value outerSelf = std::exchange(m_self, self);
    const std::size_t offset = m_offset;
    Value result = none();
    if (function.lambda) {
        result = evaluate(*function.lambda->items[0]);
    } else {
        m_returnValue = none();
        runBody(function.head);
        result = std::exchange(m_returnValue, none());
    }
    m_offset = offset;
    m_self = outerSelf;
    m_running = running;
    m_inFunction = wasInFunction;
    std::swap(names, m_locals);
    return result;
}

void Interpreter::bindParameters(const SourceFunction& function, Values args, KeywordValues kwargs, LocalNames& names) {
    using Parameter = py::Parameter;
    std::size_t place = 0;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const Parameter& parameter = function.parameters[i];
        const auto named = std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == parameter.name; });
        if (parameter.kind == Parameter::Kind::VarArgs) {
            names.bind(parameter.name, tupleOf(Values(args.begin() + static_cast<std::ptrdiff_t>(std::min(place, args.size())), args.end())));
            place = args.size();
        } else if (parameter.kind == Parameter::Kind::VarKeywords) {
            ValueDict dict;
            for (auto& [key, value] : kwargs) dict.items.emplace_back(Value{Argument(key)}, value);
            names.bind(parameter.name, box(std::move(dict)));
            kwargs.clear();
        } else if (parameter.kind == Parameter::Kind::Normal && place < args.size()) {
            if (named != kwargs.end()) throw PythonError("TypeError: " + function.name + "() got multiple values for argument '" + std::string(parameter.name) + "'");
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
    if (place < args.size()) throw PythonError("TypeError: " + function.name + "() takes " + std::to_string(place) + " positional arguments but " + std::to_string(args.size()) + " were given");
    if (!kwargs.empty()) throw PythonError("TypeError: " + function.name + "() got an unexpected keyword argument '" + kwargs[0].first + "'");
}

Value Interpreter::callValue(const Value& callee, Values args, KeywordValues kwargs) {
    if (const auto* function = callee.as<SourceFunction>()) return callSource(*function, std::move(args), std::move(kwargs));
    if (const auto* function = callee.as<FunctionValue>(); function && function->path.starts_with("builtins."))
        if (auto value = callBuiltin(*function, args, kwargs)) return std::move(*value);
    return Evaluator::callValue(callee, std::move(args), std::move(kwargs));
}

/// Builtins that go over values, which may hold proxies; what they give is drawn one by one, as in Python.
std::optional<Value> Interpreter::callBuiltin(const FunctionValue& function, Values& args, const KeywordValues& kwargs) {
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
        return lazy([this, start, numbered, draw = drawing(args[0]), count = std::make_shared<std::size_t>(0)]() -> std::optional<Value> {
            const auto item = draw();
            return item ? std::optional(tupleOf({m_tracer.binary("add", start, numbered((*count)++)), *item})) : std::nullopt;
        });
    }
    if (name == "sum" && kwargs.empty()) {
        Value total = args.size() > 1 ? args[1] : numbered(0);
        for (const Draw draw = drawing(args[0]); const auto item = draw();) total = m_tracer.binary("add", total, *item);
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
Value Interpreter::columns(const Values& args, bool maps) {
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

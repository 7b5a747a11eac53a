// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/function_interpreter.h"

#include "core/trace/callables.h"
#include "core/trace/number_functions.h"

#include <algorithm>
#include <utility>

namespace fx::trace {
namespace {

using Kind = py::StmtKind;

constexpr std::string_view kUsualImports =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n";

bool hasBody(Kind kind) {
    static constexpr Kind kKinds[] = {Kind::Def,    Kind::Class,   Kind::If,    Kind::Elif,
                                      Kind::Else,   Kind::For,     Kind::While, Kind::Try,
                                      Kind::Except, Kind::Finally, Kind::With,  Kind::Unsupported};
    return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

/// Whether `except ANNOTATION` catches an error that starts with its name.
bool catches(const py::Expr* annotation, std::string_view error) {
    if (!annotation) return true;
    if (annotation->kind == py::ExprKind::Tuple)
        return std::any_of(annotation->items.begin(), annotation->items.end(),
                           [&](const py::Expr* each) { return catches(each, error); });
    return annotation->text == "Exception" || annotation->text == error.substr(0, error.find(':'));
}

std::string missing(const SourceFunction& function, std::string_view parameter) {
    return "TypeError: " + function.name + "() missing required argument: '" + std::string(parameter) + "'";
}

/// Counts something down again when a block is left, also by an exception.
struct Depth {
    Depth(std::size_t& count, std::size_t limit, const char* what) : m_count(count) {
        if (++m_count > limit) {
            --m_count;
            throw CannotFollow(Message("trace.too_deep", {{"what", what}, {"limit", limit}}));
        }
    }
    ~Depth() { --m_count; }
    std::size_t& m_count;
};

} // namespace

/// Expressions are followed by recursion, calls in the middle of them: both together are bounded.
FunctionInterpreter::FunctionInterpreter(Tracer& tracer, const py::SourceTree& tree) : Evaluator(tracer), m_tree(tree) {
    constexpr std::size_t kMaxLevels = 6000;
    std::size_t deepest = 1;
    for (std::size_t at = 0; at < tree.size(); ++at)
        if (tree[at].value) deepest = std::max<std::size_t>(deepest, tree[at].value->depth);
    m_callLimit = std::min(kMaxCalls, kMaxLevels / deepest);
}

// ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────

void FunctionInterpreter::runModuleLevel() {
    py::Parser usual(kUsualImports);
    for (py::Stmt statement; usual.next(statement);) executeModuleLevel(statement);
    for (std::size_t at = 0; at < m_tree.size();) {
        const py::Stmt& statement = m_tree[at];
        const bool isTry = statement.kind == Kind::Try; // its body runs, handlers do not
        const std::size_t here = std::exchange(at, hasBody(statement.kind) && !isTry ? m_tree.bodyEnd(at) : at + 1);
        step(statement);
        if (statement.kind == Kind::Decorator) {
            m_decorators.push_back(statement.value);
            continue;
        }
        const auto decorators = std::exchange(m_decorators, {});
        try {
            if (statement.kind == Kind::Def || statement.kind == Kind::Class)
                m_globals.insert_or_assign(std::string(statement.text), definitionOf(here, decorators));
            else if (at == here + 1 && !isTry) executeModuleLevel(statement);
        } catch (const CannotFollow& error) { lose(statement, error.message()); } catch (const PythonError& error) {
            lose(statement, error.message());
        }
    }
}

void FunctionInterpreter::lose(const py::Stmt& statement, const Message& why) {
    const auto lose = [&](std::string_view name) {
        if (const auto known = m_globals.find(name); known != m_globals.end()) m_globals.erase(known);
        m_lost.insert_or_assign(std::string(name), why);
    };
    if (statement.kind == Kind::Def || statement.kind == Kind::Class) lose(statement.text);
    for (const auto* target : statement.kind == Kind::Class ? std::span<const py::Expr* const>() : statement.targets)
        if (target->kind == py::ExprKind::Name) lose(target->text);
}

const Value* FunctionInterpreter::global(std::string_view name) const {
    const auto found = m_globals.find(name);
    return found == m_globals.end() ? nullptr : &found->second;
}

void FunctionInterpreter::requireGlobal(std::string_view name) const {
    const auto lost = m_lost.find(name);
    throw CannotFollow(lost == m_lost.end() ? Message("trace.undefined") : lost->second);
}

Value FunctionInterpreter::functionOf(std::size_t head) {
    const py::Stmt& def = m_tree[head];
    SourceFunction function;
    function.name = def.text;
    function.head = head;
    function.parameters = def.parameters;
    function.defaults = defaultsOf(def.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value FunctionInterpreter::lambdaValue(const py::Expr& lambda) {
    SourceFunction function;
    function.name = "<lambda>";
    function.lambda = &lambda;
    function.parameters = lambda.parameters;
    function.defaults = defaultsOf(lambda.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value FunctionInterpreter::classOf(std::size_t head) {
    const py::Stmt& statement = m_tree[head];
    if (statement.targets.size() > 1) throw CannotFollow(Message("trace.several_bases"));
    SourceClass made;
    made.name = statement.text;
    made.head = head;
    made.base = statement.targets.empty() ? none() : evaluate(*statement.targets[0]);
    std::vector<const py::Expr*> decorators;
    for (std::size_t at = head + 1, end = m_tree.bodyEnd(head); at < end; at = m_tree.bodyEnd(at)) {
        const py::Stmt& member = m_tree[at];
        if (member.kind == Kind::Decorator) {
            decorators.push_back(member.value);
            continue;
        }
        const auto of = std::exchange(decorators, {});
        const bool isValue = (member.kind == Kind::Assign || member.kind == Kind::AnnAssign) && member.value &&
                             member.targets[0]->kind == py::ExprKind::Name;
        try {
            if (member.kind == Kind::Def) made.members.emplace_back(std::string(member.text), definitionOf(at, of));
            if (isValue) made.members.emplace_back(std::string(member.targets[0]->text), evaluate(*member.value));
        } catch (const CannotFollow&) { // a property: its use says that there is none
        }
    }
    return box(std::move(made));
}

Value FunctionInterpreter::definitionOf(std::size_t head, std::span<const py::Expr* const> decorators) {
    Value made = m_tree[head].kind == Kind::Class ? classOf(head) : functionOf(head);
    for (std::size_t i = decorators.size(); i-- > 0;) made = decorated(*decorators[i], std::move(made));
    return made;
}

Value FunctionInterpreter::decorated(const py::Expr& decorator, Value function) {
    static constexpr std::string_view kTransparent[] = {"no_grad",   "inference_mode", "enable_grad",
                                                        "lru_cache", "cache",          "compatibility"};
    const bool isCall = decorator.kind == py::ExprKind::Call;
    const Value callee = evaluate(isCall ? *decorator.items[0] : decorator);
    const auto* known = callee.as<FunctionValue>();
    const auto* source = function.as<SourceFunction>();
    const std::string_view name = known ? std::string_view(known->callable->name) : std::string_view();
    if (std::find(std::begin(kTransparent), std::end(kTransparent), name) != std::end(kTransparent)) return function;
    if (source && (name == "staticmethod" || (isCall && name == "wraps"))) {
        SourceFunction changed = *source;
        changed.isStatic |= name == "staticmethod";
        const Value original =
            name == "wraps" && !decorator.arguments.empty() ? evaluate(*decorator.arguments[0].value) : none();
        if (const auto* wrapped = original.as<SourceFunction>())
            changed.wraps = std::make_shared<const SourceFunction>(*wrapped);
        return box(std::move(changed));
    }
    const Value applied = isCall ? evaluate(decorator) : callee;
    if (!applied.as<SourceFunction>())
        throw CannotFollow(
            Message("trace.unsupported_decorator",
                    {{"decorator", m_tree.source().substr(decorator.offset, decorator.end - decorator.offset)}}));
    return callValue(applied, {std::move(function)}, {});
}

Value FunctionInterpreter::attributeOf(const Value& object, std::string_view name) {
    const auto* type = object.as<SourceClass>();
    const Value* member = type ? type->find(name) : nullptr;
    return member ? *member : Evaluator::attributeOf(object, name);
}

std::vector<std::optional<Value>> FunctionInterpreter::defaultsOf(std::span<const py::Parameter> parameters) {
    std::vector<std::optional<Value>> defaults;
    for (const auto& parameter : parameters)
        defaults.push_back(parameter.defaultValue ? std::optional(evaluate(*parameter.defaultValue)) : std::nullopt);
    return defaults;
}

// ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────

void FunctionInterpreter::step(const py::Stmt& statement) {
    m_offset = statement.offset;
    m_steps += 1 + (statement.value ? statement.value->depth : 0);
    if (m_steps > kMaxSteps) throw CannotFollow(Message("trace.too_many_steps", {{"limit", kMaxSteps}}));
}

FunctionInterpreter::Flow FunctionInterpreter::runBlock(std::size_t begin, std::size_t end) {
    const Depth depth(m_blocks, kMaxBlocks, "blocks");
    for (std::size_t at = begin; at < end;) {
        step(m_tree[at]);
        const Flow flow = m_tree[at].kind == Kind::If    ? runIf(at, end)
                          : m_tree[at].kind == Kind::Try ? runTry(at, end)
                                                         : runStatement(at);
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

FunctionInterpreter::Flow FunctionInterpreter::runBody(std::size_t head) {
    const std::size_t end = m_tree.bodyEnd(head);
    if (end == head + 1)
        throw PythonError("IndentationError: expected an indented block after '" +
                          std::string(m_tree[head].kind == Kind::Def ? "def" : m_tree[head].text) + "'");
    return runBlock(head + 1, end);
}

/// One statement and its body; leaves `at` behind it.
FunctionInterpreter::Flow FunctionInterpreter::runStatement(std::size_t& at) {
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
    case Kind::Decorator: m_decorators.push_back(statement.value); return Flow::Next;
    case Kind::Def: {
        const auto decorators = std::exchange(m_decorators, {});
        m_locals.bind(statement.text, definitionOf(here, decorators));
        at = m_tree.bodyEnd(here);
        return Flow::Next;
    }
    case Kind::Global: return Flow::Next;
    case Kind::With:
        enterWith(statement);
        at = m_tree.bodyEnd(here);
        return runBody(here);
    case Kind::Unsupported:
        if (statement.text == "del") return Flow::Next;
        if (statement.text == "raise") throw PythonError("Exception: the source raises an error here");
        execute(statement);
        return Flow::Next;
    case Kind::For:
    case Kind::While: {
        at = m_tree.bodyEnd(here);
        const bool hasElse = at < m_tree.size() && m_tree[at].kind == Kind::Else &&
                             m_tree[at].indent == statement.indent && !m_tree[at].continuesLine;
        if (hasElse) throw CannotFollow(Message("trace.loop_else"));
        return runLoop(here);
    }
    case Kind::Elif:
    case Kind::Else: throw CannotFollow(Message("trace.without_if", {{"statement", statement.text}}));
    default: execute(statement); return Flow::Next;
    }
}

FunctionInterpreter::Flow FunctionInterpreter::runIf(std::size_t& at, std::size_t end) {
    std::optional<std::size_t> chosen;
    for (const std::uint32_t indent = m_tree[at].indent;;) {
        const py::Stmt& head = m_tree[at];
        if (!chosen && (head.kind == Kind::Else || m_tracer.truth(evaluate(*head.value)))) chosen = at;
        at = m_tree.bodyEnd(at);
        const bool goesOn = head.kind != Kind::Else && at < end &&
                            (m_tree[at].kind == Kind::Elif || m_tree[at].kind == Kind::Else) &&
                            m_tree[at].indent == indent;
        if (!goesOn) break;
    }
    return chosen ? runBody(*chosen) : Flow::Next;
}

/// A body, and the handler of what Python raises in it.
FunctionInterpreter::Flow FunctionInterpreter::runTry(std::size_t& at, std::size_t end) {
    const std::size_t head = at;
    const std::uint32_t indent = m_tree[head].indent;
    std::vector<std::size_t> handlers;
    std::optional<std::size_t> otherwise, finally;
    for (at = m_tree.bodyEnd(head); at < end && m_tree[at].indent == indent; at = m_tree.bodyEnd(at)) {
        const Kind kind = m_tree[at].kind;
        if (kind == Kind::Except) handlers.push_back(at);
        else if (kind == Kind::Else && !otherwise) otherwise = at;
        else if (kind == Kind::Finally) finally = at;
        else break;
    }
    Flow flow = Flow::Next;
    try {
        flow = runBody(head);
        if (flow == Flow::Next && otherwise) flow = runBody(*otherwise);
    } catch (const PythonError& error) {
        const auto handler = std::find_if(handlers.begin(), handlers.end(),
                                          [&](std::size_t each) { return catches(m_tree[each].value, error.what()); });
        if (handler == handlers.end()) throw;
        flow = runBody(*handler);
    }
    if (!finally) return flow;
    const Flow last = runBody(*finally);
    return last == Flow::Next ? flow : last;
}

/// Contexts that change nothing that torch.fx records.
void FunctionInterpreter::enterWith(const py::Stmt& statement) {
    static constexpr std::string_view kTransparent[] = {"no_grad",          "inference_mode", "enable_grad",
                                                        "set_grad_enabled", "nullcontext",    "record_function"};
    for (std::size_t i = 0; i < statement.value->items.size(); ++i) {
        const py::Expr& item = *statement.value->items[i];
        const Value callee = item.kind == py::ExprKind::Call ? evaluate(*item.items[0]) : none();
        const auto* known = callee.as<FunctionValue>();
        const bool isTransparent = known && std::find(std::begin(kTransparent), std::end(kTransparent),
                                                      known->callable->name) != std::end(kTransparent);
        if (!isTransparent || statement.targets[i]) throw CannotFollow(Message("trace.unsupported_with"));
    }
}

/// The body once: nothing when the loop goes on.
std::optional<FunctionInterpreter::Flow> FunctionInterpreter::runLoopBody(std::size_t head) {
    step(m_tree[head]);
    const Flow flow = runBody(head);
    if (flow == Flow::Return) return flow;
    return flow == Flow::Break ? std::optional(Flow::Next) : std::nullopt;
}

FunctionInterpreter::Flow FunctionInterpreter::runLoop(std::size_t head) {
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
        void leave() const { in.m_offset = offset; } // not after an exception, which is told at its place
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

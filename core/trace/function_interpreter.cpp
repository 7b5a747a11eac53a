// SPDX-License-Identifier: GPL-3.0-or-later
// Statements: of the file and of functions.
#include "core/trace/function_interpreter.h"

#include <algorithm>
#include <utility>

namespace fx::trace {
namespace {

using Kind = py::StmtKind;

constexpr std::string_view kUsualImports =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n";

bool hasBody(Kind kind) {
    static constexpr Kind kKinds[] = {Kind::Def,  Kind::Class, Kind::If,   Kind::Elif,       Kind::Else,
                                      Kind::For,  Kind::While, Kind::Try,  Kind::Except,     Kind::Finally,
                                      Kind::With, Kind::Match, Kind::Case, Kind::Unsupported};
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
    case Kind::Delete: return Flow::Next;
    case Kind::Raise: throw PythonError("Exception: the source raises an error here");
    case Kind::Unsupported: execute(statement); return Flow::Next;
    case Kind::For:
    case Kind::While: at = m_tree.bodyEnd(here); return runLoop(here);
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
    const std::size_t end = m_tree.bodyEnd(head);
    const bool hasElse = end < m_tree.size() && m_tree[end].kind == Kind::Else &&
                         m_tree[end].indent == statement.indent && !m_tree[end].continuesLine;
    if (hasElse) throw CannotFollow(Message("trace.loop_else"));
    if (statement.kind == Kind::While) {
        while (m_tracer.truth(evaluate(*statement.value)))
            if (const auto flow = runLoopBody(head)) return *flow;
        return Flow::Next;
    }
    for (const Draw draw = drawing(evaluate(*statement.value)); const auto item = draw();) {
        assignTo(*statement.targets[0], *item);
        if (const auto flow = runLoopBody(head)) return *flow;
    }
    return Flow::Next;
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of functions and class bodies.
#include "core/python/interpreter.h"

namespace fx::python {
using Kind = py::StmtKind;
using py::ExprKind;
using trace::CannotFollow;
using trace::PythonError;

void Interpreter::step(std::size_t offset) {
    takeNotes();
    if (m_frame) m_here.file = m_frame->file;
    m_here.offset = offset;
    if (++m_steps > kMaxSteps) throw CannotFollow(Message("trace.too_many_steps", {{"limit", kMaxSteps}}));
    if (m_steps % 1024 == 0) m_progress.check();
}

Interpreter::Flow Interpreter::runBlock(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
        step(tree()[at].offset);
        const Flow flow = runStatement(at, end);
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Interpreter::Flow Interpreter::runBody(std::size_t head) { return runBlock(head + 1, bodyEnd(head)); }

/// One statement with its body and the branches that belong to it; leaves `at` after them.
Interpreter::Flow Interpreter::runStatement(std::size_t& at, std::size_t end) {
    const std::size_t here = at;
    const py::Stmt& statement = tree()[here];
    switch (statement.kind) {
    case Kind::If: {
        const auto chosen = chosenBranch(at, end);
        return chosen ? runBody(*chosen) : Flow::Next;
    }
    case Kind::Try: return runTry(at, end);
    case Kind::For:
    case Kind::While: return runLoop(here, at, end);
    default: break;
    }
    at = bodyEnd(here);
    switch (statement.kind) {
    case Kind::Pass: break;
    case Kind::Return:
        m_frame->result = statement.value ? evaluateIn(*statement.value) : Value::none();
        return Flow::Return;
    case Kind::Break: return Flow::Break;
    case Kind::Continue: return Flow::Continue;
    case Kind::Expression: evaluateIn(*statement.value); break;
    case Kind::Assign: {
        const Value value = evaluateIn(*statement.value);
        for (const auto* target : statement.targets) assign(*target, value);
        break;
    }
    case Kind::AnnAssign:
        if (m_frame->scope->isClass && statement.targets[0]->kind == ExprKind::Name && m_building)
            m_building->fields.emplace_back(statement.targets[0]->text);
        if (m_frame->scope->isClass && statement.targets[0]->kind == ExprKind::Name && m_building &&
            statement.annotation)
            m_building->annotated.emplace_back(statement.targets[0]->text,
                                               sourceOf(*statement.annotation, *m_frame->file));
        if (statement.value) assign(*statement.targets[0], evaluateIn(*statement.value));
        break;
    case Kind::AugAssign: augment(statement); break;
    case Kind::Assert:
        if (!truth(evaluateIn(*statement.value)))
            raise("AssertionError", statement.annotation ? str(evaluateIn(*statement.annotation)) : std::string());
        break;
    case Kind::Decorator: m_decorators.push_back(statement.value); break;
    case Kind::Def:
    case Kind::Class: define(here); break;
    case Kind::Import:
    case Kind::ImportFrom: import(statement); break;
    case Kind::Global:
        for (const auto& name : statement.imports) {
            Scope* where = statement.text == "global" ? m_frame->file->globals : m_frame->scope->parent;
            while (statement.text != "global" && where && !where->names.find(name.name)) where = where->parent;
            m_frame->scope->elsewhere.emplace_back(name.name, where ? where : m_frame->file->globals);
        }
        break;
    case Kind::Raise: raiseStatement(statement); break;
    case Kind::Delete:
        for (const auto* target : statement.targets) remove(*target);
        break;
    case Kind::With: return runWith(here, 0);
    case Kind::Match: {
        const auto found = matchedCase(here);
        return found ? runBody(*found) : Flow::Next;
    }
    case Kind::Elif:
    case Kind::Else:
    case Kind::Except:
    case Kind::Finally:
    case Kind::Case: throw CannotFollow(Message("trace.without_if", {{"statement", statement.text}}));
    case Kind::Invalid: // of a class or a file: the rest of it can be used
        m_decorators.clear();
        if (m_frame->function) throw CannotFollow(Message("python.invalid_statement"));
        break;
    case Kind::Unsupported: m_decorators.clear(); break; // async: matters when it is called
    default: break;
    }
    return Flow::Next;
}

/// The branch of an `if` that is taken; leaves `at` after all of them.
std::optional<std::size_t> Interpreter::chosenBranch(std::size_t& at, std::size_t end) {
    std::optional<std::size_t> chosen;
    for (const std::uint32_t indent = tree()[at].indent;;) {
        const py::Stmt& head = tree()[at];
        if (!chosen && (head.kind == Kind::Else || truth(evaluateIn(*head.value)))) chosen = at;
        at = bodyEnd(at);
        const bool goesOn = head.kind != Kind::Else && at < end &&
                            (tree()[at].kind == Kind::Elif || tree()[at].kind == Kind::Else) &&
                            tree()[at].indent == indent;
        if (!goesOn) return chosen;
    }
}

/// The `else` of a loop; leaves `at` after it.
std::optional<std::size_t> Interpreter::elseOfLoop(std::size_t head, std::size_t& at, std::size_t end) const {
    at = bodyEnd(head);
    if (at >= end || tree()[at].kind != Kind::Else || tree()[at].indent != tree()[head].indent) return std::nullopt;
    const std::size_t otherwise = at;
    at = bodyEnd(at);
    return otherwise;
}

Interpreter::Flow Interpreter::runLoop(std::size_t head, std::size_t& at, std::size_t end) {
    const py::Stmt& statement = tree()[head];
    const auto otherwise = elseOfLoop(head, at, end);
    if (statement.kind == Kind::While) {
        while (truth(evaluateIn(*statement.value))) {
            step(statement.offset);
            const Flow flow = runBody(head);
            if (flow == Flow::Return) return flow;
            if (flow == Flow::Break) return Flow::Next;
        }
    } else {
        Iterator* each = iterate(evaluateIn(*statement.value));
        for (Value value = each->next(); value.isSet(); value = each->next()) {
            step(statement.offset);
            if (looped) looped(value, statement.offset);
            assign(*statement.targets[0], value);
            const Flow flow = runBody(head);
            if (flow == Flow::Next || flow == Flow::Continue) continue;
            if (looped) looped({}, statement.offset);
            return flow == Flow::Return ? flow : Flow::Next;
        }
        if (looped) looped({}, statement.offset);
    }
    return otherwise ? runBody(*otherwise) : Flow::Next;
}

} // namespace fx::python

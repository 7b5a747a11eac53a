// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of functions and class bodies.
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

namespace fx::python {
using Kind = py::StmtKind;
using py::ExprKind;
using trace::CannotFollow;
using trace::PythonError;

void Statements::step(std::size_t offset) {
    stack().takeNotes();
    if (stack().frame) stack().here.file = stack().frame->file;
    stack().here.offset = offset;
    m_in.allowance().work(trace::Allowance::kStatementUnits);
}

Flow Statements::runBlock(std::size_t begin, std::size_t end) {
    trace::checkStack();
    for (std::size_t at = begin; at < end;) {
        step(stack().tree()[at].offset);
        const Flow flow = runStatement(at, end);
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Flow Statements::runBody(std::size_t head) { return runBlock(head + 1, stack().bodyEnd(head)); }

Flow Statements::runStatement(std::size_t& at, std::size_t end) {
    const std::size_t here = stack().frame->at = at;
    const py::Stmt& statement = stack().tree()[here];
    if (m_in.callRules) m_in.callRules->requireStatement(statement);
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
    at = stack().bodyEnd(here);
    switch (statement.kind) {
    case Kind::Pass: break;
    case Kind::Return:
        stack().frame->result = statement.value ? m_in.expressions().evaluateIn(*statement.value) : Value::none();
        return Flow::Return;
    case Kind::Break: return Flow::Break;
    case Kind::Continue: return Flow::Continue;
    case Kind::Expression: m_in.expressions().evaluateIn(*statement.value); break;
    case Kind::Assign: {
        const Value value = m_in.expressions().evaluateIn(*statement.value);
        for (const auto* target : statement.targets) m_in.targets().assign(*target, value);
        break;
    }
    case Kind::AnnAssign:
        if (stack().frame->scope->isClass && statement.targets[0]->kind == ExprKind::Name && stack().building)
            stack().building->fields.emplace_back(statement.targets[0]->text);
        if (stack().frame->scope->isClass && statement.targets[0]->kind == ExprKind::Name && stack().building &&
            statement.annotation)
            stack().building->annotated.emplace_back(statement.targets[0]->text,
                                                     Imports::sourceOf(*statement.annotation, *stack().frame->file));
        if (statement.value)
            m_in.targets().assign(*statement.targets[0], m_in.expressions().evaluateIn(*statement.value));
        break;
    case Kind::AugAssign: m_in.targets().augment(statement); break;
    case Kind::Assert:
        if (const Value holds = m_in.expressions().evaluateIn(*statement.value); m_in.callRules && isProxy(holds))
            m_in.callRules->assertAtEachCall(holds);
        else if (!truth(holds))
            m_in.exceptions().raiseWith(
                "AssertionError",
                statement.annotation ? Values{m_in.expressions().evaluateIn(*statement.annotation)} : Values());
        break;
    case Kind::Decorator: stack().decorators.push_back(statement.value); break;
    case Kind::Def:
    case Kind::Class: m_in.functions().define(here); break;
    case Kind::Import:
    case Kind::ImportFrom: m_in.imports().import(statement); break;
    case Kind::Global:
        for (const auto& name : statement.imports) {
            Scope* where = statement.text == "global" ? stack().frame->file->globals : stack().frame->scope->parent;
            while (statement.text != "global" && where && !where->names.find(name.name)) where = where->parent;
            stack().frame->scope->elsewhere.emplace_back(name.name, where ? where : stack().frame->file->globals);
        }
        break;
    case Kind::Raise: raiseStatement(statement); break;
    case Kind::Delete:
        for (const auto* target : statement.targets) m_in.targets().remove(*target);
        break;
    case Kind::With: return runWith(here, 0);
    case Kind::Match: {
        const auto found = m_in.matching().matchedCase(here);
        return found ? runBody(*found) : Flow::Next;
    }
    case Kind::Elif:
    case Kind::Else:
    case Kind::Except:
    case Kind::Finally:
    case Kind::Case: throw CannotFollow(Message("trace.without_if", {{"statement", statement.text}}));
    case Kind::Invalid: // of a class or a file: the rest of it can be used
        stack().decorators.clear();
        if (stack().frame->function) throw CannotFollow(Message("python.invalid_statement"));
        break;
    case Kind::Unsupported: // async: matters when it is called
        stack().decorators.clear();
        if (!statement.alias.empty()) {
            Opaque* lost = heap().make<Opaque>(std::string(statement.alias));
            lost->lostBy = "async functions are not supported";
            lost->isAsync = true;
            m_in.targets().bind(statement.alias, lost);
        }
        break;
    default: break;
    }
    return Flow::Next;
}

std::optional<std::size_t> Statements::chosenBranch(std::size_t& at, std::size_t end) {
    std::optional<std::size_t> chosen;
    for (const std::uint32_t indent = stack().tree()[at].indent;;) {
        const py::Stmt& head = stack().tree()[at];
        if (!chosen && (head.kind == Kind::Else || truth(m_in.expressions().evaluateIn(*head.value)))) chosen = at;
        at = stack().bodyEnd(at);
        const bool goesOn = head.kind != Kind::Else && at < end &&
                            (stack().tree()[at].kind == Kind::Elif || stack().tree()[at].kind == Kind::Else) &&
                            stack().tree()[at].indent == indent;
        if (!goesOn) return chosen;
    }
}

std::optional<std::size_t> Statements::elseOfLoop(std::size_t head, std::size_t& at, std::size_t end) const {
    at = stack().bodyEnd(head);
    if (at >= end || stack().tree()[at].kind != Kind::Else || stack().tree()[at].indent != stack().tree()[head].indent)
        return std::nullopt;
    const std::size_t otherwise = at;
    at = stack().bodyEnd(at);
    return otherwise;
}

Flow Statements::runLoop(std::size_t head, std::size_t& at, std::size_t end) {
    const py::Stmt& statement = stack().tree()[head];
    const auto otherwise = elseOfLoop(head, at, end);
    if (statement.kind == Kind::While) {
        while (truth(m_in.expressions().evaluateIn(*statement.value))) {
            step(statement.offset);
            const Flow flow = runBody(head);
            if (flow == Flow::Return) return flow;
            if (flow == Flow::Break) return Flow::Next;
        }
    } else {
        Iterator* each = iterate(m_in.expressions().iterated(*statement.value));
        for (Value value = each->next(); value.isSet(); value = each->next()) {
            step(statement.offset);
            if (m_in.looped) m_in.looped(value, statement.offset);
            m_in.targets().assign(*statement.targets[0], value);
            const Flow flow = runBody(head);
            if (flow == Flow::Next || flow == Flow::Continue) continue;
            if (m_in.looped) m_in.looped({}, statement.offset);
            return flow == Flow::Return ? flow : Flow::Next;
        }
        if (m_in.looped) m_in.looped({}, statement.offset);
    }
    return otherwise ? runBody(*otherwise) : Flow::Next;
}

} // namespace fx::python

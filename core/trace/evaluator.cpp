// SPDX-License-Identifier: GPL-3.0-or-later
// Statements: of the file and of a body. Expressions are in expressions.cpp, iteration in iteration.cpp.
#include "core/trace/evaluator.h"

#include <algorithm>
#include <utility>

namespace fx::trace {

// ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────

void Evaluator::executeModuleLevel(const py::Stmt& statement) {
    switch (statement.kind) {
    case py::StmtKind::Import:
    case py::StmtKind::ImportFrom: return import(statement);
    case py::StmtKind::AnnAssign:
        if (!statement.value) return;
        [[fallthrough]];
    case py::StmtKind::Assign: { // NoneType = type(None)
        const Value value = evaluate(*statement.value);
        for (const auto* target : statement.targets) assignGlobal(*target, value);
        return;
    }
    case py::StmtKind::Expression:
        if (statement.value->kind == py::ExprKind::Call) return wrapByName(*statement.value);
        return;
    default: break;
    }
    throw CannotFollow(Message("trace.module_level_statement"));
}

void Evaluator::assignGlobal(const py::Expr& target, const Value& value) {
    if (target.kind == py::ExprKind::Name) {
        m_globals.insert_or_assign(std::string(target.text), value);
        return;
    }
    if (target.kind != py::ExprKind::Tuple && target.kind != py::ExprKind::List)
        throw CannotFollow(Message("trace.unsupported_assignment"));
    const Values parts = spread(target, value);
    for (std::size_t i = 0; i < parts.size(); ++i)
        assignGlobal(target.items[i]->kind == py::ExprKind::Starred ? *target.items[i]->items[0] : *target.items[i],
                     parts[i]);
}

void Evaluator::import(const py::Stmt& statement) {
    for (const auto& imported : statement.imports) {
        const std::string path = statement.kind == py::StmtKind::Import
                                     ? std::string(imported.name)
                                     : std::string(statement.text) + "." + std::string(imported.name);
        if (!imported.alias.empty() || statement.kind == py::StmtKind::ImportFrom) {
            m_globals.insert_or_assign(std::string(imported.alias.empty() ? imported.name : imported.alias),
                                       resolveName(path));
        } else {
            const std::string first = path.substr(0, path.find('.'));
            m_globals.insert_or_assign(first, box(NamespaceValue{first}));
        }
    }
}

/// `torch.fx._symbolic_trace.wrap("alias")`
void Evaluator::wrapByName(const py::Expr& call) {
    const Value callee = evaluate(*call.items[0]);
    const auto* function = callee.as<FunctionValue>();
    if (!function || function->callable->name != "wrap" || call.arguments.size() != 1)
        throw CannotFollow(Message("trace.module_level_call"));
    const Value argument = evaluate(*call.arguments[0].value);
    const auto* text = argument.as<Argument>() ? argument.as<Argument>()->as<std::string>() : nullptr;
    if (!text) throw CannotFollow(Message("trace.wrap_without_name"));
    const auto target = m_globals.find(*text);
    if (target == m_globals.end()) throw PythonError("NameError: name '" + *text + "' is not defined");
    if (const auto* known = target->second.as<FunctionValue>()) {
        FunctionValue wrapped = *known;
        wrapped.wrapped = true;
        target->second = box(std::move(wrapped));
    }
}

// ── one body ─────────────────────────────────────────────────────────────────────────────────────────────────────

void Evaluator::enter(const py::Stmt& def) {
    m_locals.clear();
    if (def.parameters.empty()) throw PythonError("RuntimeError: ``self`` argument cannot be part of *args expansion!");
    m_locals.bind(def.parameters[0].name, Value{ModuleValue{&m_tracer.modules().root()}});
    makePlaceholders(def, def.parameters.subspan(1));
}

void Evaluator::makePlaceholders(const py::Stmt& def, std::span<const py::Parameter> parameters) {
    using Kind = py::Parameter::Kind;
    std::vector<std::optional<Value>> defaults; // evaluated where the function is defined: none is another parameter
    for (const auto& parameter : parameters)
        defaults.push_back(parameter.defaultValue ? std::optional(evaluate(*parameter.defaultValue)) : std::nullopt);
    // Python's order of local names: positional, keyword-only, *args, **kwargs.
    for (const auto kind : {Kind::Normal, Kind::KeywordOnly, Kind::VarArgs, Kind::VarKeywords}) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const auto& parameter = parameters[i];
            if (parameter.kind != kind) continue;
            const bool starred = kind == Kind::VarArgs || kind == Kind::VarKeywords;
            const std::string target = (kind == Kind::VarArgs       ? "*"
                                        : kind == Kind::VarKeywords ? "**"
                                                                    : "") +
                                       std::string(parameter.name);
            TypePtr type = parameter.annotation && !starred ? annotation(*parameter.annotation) : nullptr;
            m_locals.bind(parameter.name, m_tracer.placeholder(target, defaults[i], std::move(type)));
        }
    }
    // torch.fx traces functions with * parameters through a copy that has no annotations.
    const bool patched =
        std::any_of(def.parameters.begin(), def.parameters.end(), [](const auto& p) { return p.kind != Kind::Normal; });
    if (def.annotation && !patched) m_returnType = annotation(*def.annotation);
}

bool Evaluator::execute(const py::Stmt& statement) {
    m_at = nullptr;
    if (takePending(statement)) return true;
    switch (statement.kind) {
    case py::StmtKind::Assign: assign(statement); return true;
    case py::StmtKind::AugAssign: augment(statement); return true;
    case py::StmtKind::AnnAssign:
        if (statement.value) {
            assign(statement);
            const auto* value = local(statement.targets[0]->text);
            if (m_tracer.mode() == Tracer::Mode::AsWritten && value && value->as<Proxy>())
                m_tracer.graph().setType(value->as<Proxy>()->node, annotation(*statement.annotation));
        }
        return true;
    case py::StmtKind::Expression: evaluate(*statement.value); return true;
    case py::StmtKind::Pass: return true;
    case py::StmtKind::Import:
    case py::StmtKind::ImportFrom: import(statement); return true;
    case py::StmtKind::Return:
        m_result = statement.value ? evaluate(*statement.value) : none();
        m_returned = true;
        return false;
    default: break;
    }
    throw CannotFollow(Message("trace.unsupported_statement",
                               {{"statement", statement.kind == py::StmtKind::Def ? "def" : statement.text}}));
}

void Evaluator::finish() {
    // Without a return Python gives None, and torch.fx records an output; as written there is none.
    if (m_returned || m_tracer.mode() == Tracer::Mode::AsPython) m_tracer.output(m_result, m_returnType);
}

void Evaluator::assign(const py::Stmt& statement) {
    const py::Expr& target = *statement.targets[0];
    const bool forgets = statement.value->kind == py::ExprKind::Constant && statement.value->constant->isNone();
    if (forgets && statement.targets.size() == 1)
        return assignTo(target, none()); // `relu = None`, of every second line
    const bool named = statement.targets.size() == 1 && target.kind == py::ExprKind::Name;
    m_tracer.wishName(named ? target.text : std::string_view{});
    Value value = evaluate(*statement.value);
    // `graph = self.graph`: the get_attr of a module; what is called is read and called in one.
    if (named && m_tracer.mode() == Tracer::Mode::AsWritten && (value.asLazy() || value.as<ModuleValue>()))
        value = {Proxy{m_tracer.toArgument(value).node()}};
    m_tracer.wishName({});
    for (const auto* each : statement.targets) assignTo(*each, value);
}

void Evaluator::assignTo(const py::Expr& target, const Value& value) {
    switch (target.kind) {
    case py::ExprKind::Name:
        m_locals.bind(target.text, value);
        if (assigned) assigned(target.text, value);
        return;
    case py::ExprKind::Tuple:
    case py::ExprKind::List: {
        const Values parts = spread(target, value);
        for (std::size_t i = 0; i < parts.size(); ++i) assignTo(*target.items[i], parts[i]);
        return;
    }
    case py::ExprKind::Subscript: {
        const Value object = evaluate(*target.items[0]);
        if (m_tracer.mode() == Tracer::Mode::AsWritten && target.items[0]->kind == py::ExprKind::Name) {
            m_pending =
                Pending{"setitem", std::string(target.items[0]->text), {object, evaluate(*target.items[1]), value}};
            return;
        }
        if (object.isProxy()) throw PythonError(Message("python.item_assignment"));
        throw CannotFollow(Message("trace.item_assignment"));
    }
    case py::ExprKind::Attribute:
        throw CannotFollow(
            Message("trace.unsupported_attribute_assignment", {{"value", textOf(evaluate(*target.items[0]))}}));
    case py::ExprKind::Starred: return assignTo(*target.items[0], value);
    default: throw CannotFollow(Message("trace.unsupported_assignment"));
    }
}

Values Evaluator::spread(const py::Expr& targets, const Value& value) {
    const auto starred = std::find_if(targets.items.begin(), targets.items.end(),
                                      [](const auto* item) { return item->kind == py::ExprKind::Starred; });
    if (starred == targets.items.end()) return m_tracer.unpack(drawn(value), targets.items.size());
    const Values all = iterate(value);
    const auto before = starred - targets.items.begin(), after = targets.items.end() - starred - 1;
    if (static_cast<std::ptrdiff_t>(all.size()) < before + after)
        throw PythonError("ValueError: not enough values to unpack (expected at least " +
                          std::to_string(before + after) + ", got " + std::to_string(all.size()) + ")");
    Values parts(all.begin(), all.begin() + before);
    parts.push_back(listOf(Values(all.begin() + before, all.end() - after)));
    parts.insert(parts.end(), all.end() - after, all.end());
    return parts;
}

void Evaluator::augment(const py::Stmt& statement) {
    const py::Expr& target = *statement.targets[0];
    const std::string_view op = operatorName(statement.text);
    if (m_tracer.mode() == Tracer::Mode::AsWritten && target.kind == py::ExprKind::Name) {
        std::string inplace = "i" + std::string(op);
        if (inplace.back() == '_') inplace.pop_back();
        m_pending = Pending{inplace, std::string(target.text), {evaluate(target), evaluate(*statement.value)}};
        return;
    }
    const Value current = evaluate(target);
    assignTo(target, m_tracer.inPlace(op, current, evaluate(*statement.value)));
}

bool Evaluator::takePending(const py::Stmt& statement) {
    if (!m_pending) return false;
    const Pending pending = *std::exchange(m_pending, std::nullopt);
    const bool names = statement.kind == py::StmtKind::Assign && statement.targets[0]->kind == py::ExprKind::Name &&
                       statement.value->kind == py::ExprKind::Name && statement.value->text == pending.target;
    if (names) m_tracer.wishName(statement.targets[0]->text);
    const Value function = resolveName("_operator." + pending.op);
    const Value changed = m_tracer.recordFunction(function.as<FunctionValue>()->callable, pending.args, {});
    m_tracer.wishName({});
    if (names) assignTo(*statement.targets[0], changed);
    else if (pending.op != "setitem") m_locals.bind(pending.target, changed); // written by a person
    return names;
}

} // namespace fx::trace

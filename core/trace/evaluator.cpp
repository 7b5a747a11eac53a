// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/evaluator.h"

#include "core/trace/number_functions.h"
#include "core/trace/python_numbers.h"

#include <algorithm>
#include <cstdio>

namespace fx::trace {
namespace {
constexpr std::size_t kMaxClauses = 20;

struct Operator {
    std::string_view sign, name;
};
constexpr Operator kOperators[] = {{"+", "add"}, {"-", "sub"},  {"*", "mul"},     {"/", "truediv"}, {"//", "floordiv"},
                                   {"%", "mod"}, {"**", "pow"}, {"<<", "lshift"}, {">>", "rshift"}, {"&", "and_"},
                                   {"|", "or_"}, {"^", "xor"},  {"@", "matmul"},  {"==", "eq"},     {"!=", "ne"},
                                   {"<", "lt"},  {"<=", "le"},  {">", "gt"},      {">=", "ge"}};
std::string_view operatorName(std::string_view sign) {
    for (const auto& row : kOperators)
        if (row.sign == sign) return row.name;
    throw CannotFollow(Message("trace.unknown_operator", {{"operator", sign}}));
}
} // namespace

// ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────

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

void Evaluator::enter(const py::Stmt& def) {
    m_locals.clear();
    if (def.parameters.empty()) throw PythonError("RuntimeError: ``self`` argument cannot be part of *args expansion!");
    m_locals.bind(def.parameters[0].name, Value{ModuleValue{&m_tracer.modules().root()}});
    makePlaceholders(def, def.parameters.subspan(1));
}

void Evaluator::enterFunction(const py::Stmt& def) {
    m_locals.clear();
    makePlaceholders(def, def.parameters);
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
    if (takePending(statement)) return;
    const bool named = statement.targets.size() == 1 && target.kind == py::ExprKind::Name;
    m_tracer.wishName(named ? target.text : std::string_view{});
    Value value = evaluate(*statement.value);
    if (named && m_tracer.mode() == Tracer::Mode::AsWritten && value.asLazy())
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
    case py::ExprKind::Attribute: return setAttribute(evaluate(*target.items[0]), target.text, value);
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
    const bool names = statement.targets[0]->kind == py::ExprKind::Name &&
                       statement.value->kind == py::ExprKind::Name && statement.value->text == pending.target;
    if (!names) return false;
    m_tracer.wishName(statement.targets[0]->text);
    const Value function = resolveName("_operator." + pending.op);
    assignTo(*statement.targets[0], m_tracer.recordFunction(function.as<FunctionValue>()->callable, pending.args, {}));
    m_tracer.wishName({});
    return true;
}

// ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────────

Value Evaluator::evaluate(const py::Expr& expr) {
    const py::Expr* outer = std::exchange(m_at, &expr);
    Value value = evaluateKind(expr);
    m_at = outer; // not after an exception
    return value;
}

Value Evaluator::evaluateKind(const py::Expr& expr) {
    switch (expr.kind) {
    case py::ExprKind::Name: return name(expr.text);
    case py::ExprKind::Constant: return {*expr.constant};
    case py::ExprKind::Attribute: return attribute(expr);
    case py::ExprKind::Call: return call(expr);
    case py::ExprKind::Subscript: {
        const Value object = evaluate(*expr.items[0]);
        return m_tracer.subscript(object, evaluate(*expr.items[1]));
    }
    case py::ExprKind::Tuple: return tupleOf(items(expr));
    case py::ExprKind::List: return listOf(items(expr));
    case py::ExprKind::Dict: return dict(expr);
    case py::ExprKind::Slice: {
        const auto part = [&](std::size_t i) { return expr.items[i] ? evaluate(*expr.items[i]) : none(); };
        return box(ValueSlice{part(0), part(1), part(2)});
    }
    case py::ExprKind::Unary: {
        const std::string_view op = expr.text == "-"   ? "neg"
                                    : expr.text == "+" ? "pos"
                                    : expr.text == "~" ? "invert"
                                                       : "not_";
        return m_tracer.unary(op, evaluate(*expr.items[0]));
    }
    case py::ExprKind::Binary: return binary(expr);
    case py::ExprKind::Compare: return compare(expr);
    case py::ExprKind::Conditional: return evaluate(*expr.items[m_tracer.truth(evaluate(*expr.items[1])) ? 0 : 2]);
    case py::ExprKind::Set: throw PythonError("NotImplementedError: argument of type: <class 'set'>");
    case py::ExprKind::Comprehension: return comprehension(expr);
    case py::ExprKind::Lambda: return lambdaValue(expr);
    case py::ExprKind::Named: {
        Value value = evaluate(*expr.items[0]);
        m_locals.bind(expr.text, value);
        return value;
    }
    case py::ExprKind::Joined: return joined(expr);
    case py::ExprKind::Formatted: return formatted(expr);
    case py::ExprKind::Clause:
    case py::ExprKind::Starred: break;
    }
    throw CannotFollow(Message("trace.unsupported_expression"));
}

Value Evaluator::joined(const py::Expr& expr) {
    std::string text;
    for (const auto* item : expr.items) text += *evaluate(*item).as<Argument>()->as<std::string>();
    return {Argument(std::move(text))};
}

/// A value of an f-string as text. Of formats only those of numbers of decimals are known.
Value Evaluator::formatted(const py::Expr& expr) {
    const Value value = evaluate(*expr.items[0]);
    if (expr.text.empty() || expr.text == "!s" || expr.text == "!r") {
        const Value text = callValue(resolveName(expr.text == "!r" ? "builtins.repr" : "builtins.str"), {value}, {});
        if (text.as<Argument>() && text.as<Argument>()->as<std::string>()) return text;
    }
    const auto number = plainReal(value);
    const std::string_view format = expr.text;
    const bool isDecimal = number && format.size() == 4 && format.starts_with(":.") && format[2] >= '0' &&
                           format[2] <= '9' && format.back() == 'f';
    if (!isDecimal) throw CannotFollow(Message("trace.unsupported_format", {{"value", textOf(value)}}));
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", format[2] - '0', *number);
    return {Argument(std::string(text))};
}

Value Evaluator::name(std::string_view text) {
    if (const auto* value = local(text)) return *value;
    if (const auto global = m_globals.find(text); global != m_globals.end()) return global->second;
    if (const auto known = m_resolved.find(text); known != m_resolved.end()) return known->second;
    const std::string path = "builtins." + std::string(text);
    if (const auto lost = m_lost.find(text); lost != m_lost.end())
        throw CannotFollow(Message("trace.unknown_name_because",
                                   {{"name", text}, {"reason", lost->second.text()}, {"cause", lost->second.code()}}));
    if (!ops::findFunction(path)) throw PythonError("NameError: name '" + std::string(text) + "' is not defined");
    return m_resolved.emplace(std::string(text), resolveName(path)).first->second;
}

/// Dotted names of imported modules (`torch.nn.functional.relu`) are looked up once and kept.
Value Evaluator::attribute(const py::Expr& expr) {
    const py::Expr* root = &expr;
    while (root->kind == py::ExprKind::Attribute) root = root->items[0];
    if (root->kind != py::ExprKind::Name || local(root->text)) {
        return attributeOf(evaluate(*expr.items[0]), expr.text);
    }
    const std::string_view dotted(root->text.data(),
                                  static_cast<std::size_t>(expr.text.data() + expr.text.size() - root->text.data()));
    if (const auto known = m_resolved.find(dotted); known != m_resolved.end()) return known->second;
    Value value = attributeOf(evaluate(*expr.items[0]), expr.text);
    m_resolved.emplace(std::string(dotted), value);
    return value;
}

Value Evaluator::call(const py::Expr& expr) {
    const py::Expr& called = *expr.items[0];
    Values args;
    KeywordValues kwargs;
    args.reserve(expr.arguments.size() + 1);
    // `x.relu()` of a traced x, the most frequent line, needs no object for `x.relu`.
    const bool named = called.kind == py::ExprKind::Attribute && called.items[0]->kind == py::ExprKind::Name;
    const Value* self = named ? local(called.items[0]->text) : nullptr;
    if (self && self->as<Proxy>() && called.text != "node" && called.text != "tracer") { // a proxy's own two attributes
        args.push_back(*self);
        arguments(expr, args, kwargs);
        return m_tracer.callMethod(called.text, args, kwargs);
    }
    const Value callee = evaluate(called);
    arguments(expr, args, kwargs);
    return callValue(callee, std::move(args), std::move(kwargs));
}

void Evaluator::arguments(const py::Expr& call, Values& args, KeywordValues& kwargs) {
    for (const auto& argument : call.arguments) {
        Value value = evaluate(*argument.value);
        if (argument.name == "*") value = drawn(value);
        if (argument.name.empty()) {
            args.push_back(std::move(value));
        } else if (argument.name == "*" || argument.name == "**") {
            if (value.isProxy()) throw PythonError(Message("python.iterated"));
            const auto* dict = value.as<ValueDict>();
            if (const auto* sequence = value.as<ValueSequence>())
                args.insert(args.end(), sequence->items.begin(), sequence->items.end());
            else if (dict && argument.name == "**")
                for (const auto& [key, item] : dict->items) {
                    const auto* text = key.as<Argument>() ? key.as<Argument>()->as<std::string>() : nullptr;
                    if (!text) throw PythonError("TypeError: keywords must be strings");
                    kwargs.emplace_back(*text, item);
                }
            else throw CannotFollow(Message("trace.unsupported_unpacking", {{"value", textOf(value)}}));
        } else {
            kwargs.emplace_back(argument.name, std::move(value));
        }
    }
}

Value Evaluator::binary(const py::Expr& expr) {
    const Value left = evaluate(*expr.items[0]);
    if (expr.text == "and") return m_tracer.truth(left) ? evaluate(*expr.items[1]) : left;
    if (expr.text == "or") return m_tracer.truth(left) ? left : evaluate(*expr.items[1]);
    return m_tracer.binary(operatorName(expr.text), left, evaluate(*expr.items[1]));
}

Value Evaluator::compare(const py::Expr& expr) {
    const Value left = evaluate(*expr.items[0]), right = evaluate(*expr.items[1]);
    if (expr.text == "is" || expr.text == "is not") {
        return {Argument(isSameObject(left, right) == (expr.text == "is"))};
    }
    if (expr.text == "in") return m_tracer.binary("contains", right, left);
    if (expr.text == "not in") return m_tracer.unary("not_", m_tracer.binary("contains", right, left));
    return m_tracer.binary(operatorName(expr.text), left, right);
}

Value Evaluator::dict(const py::Expr& expr) {
    ValueDict out;
    for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
        if (!expr.items[i]) throw CannotFollow(Message("trace.dict_unpacking"));
        Value key = evaluate(*expr.items[i]);
        out.items.emplace_back(std::move(key), evaluate(*expr.items[i + 1]));
    }
    return box(std::move(out));
}

Value Evaluator::comprehension(const py::Expr& expr) {
    const std::size_t elements = expr.text == "{" ? 2 : 1;
    const Value made = generator(expr, elements);
    if (expr.text == "(") return made;
    Values out = iterate(made);
    if (expr.text == "[") return listOf(std::move(out));
    ValueDict dict;
    for (const Value& pair : out) {
        const Values& both = pair.as<ValueSequence>()->items;
        dict.items.emplace_back(both[0], both[1]);
    }
    return box(std::move(dict));
}

/// What a comprehension gives, drawn one by one, with names of its own. Of several elements each is a tuple.
Value Evaluator::generator(const py::Expr& expr, std::size_t elements) {
    struct State {
        LocalNames names;
        std::vector<Draw> loops; ///< of the clauses that are entered
    };
    const std::size_t clauses = expr.items.size() - elements;
    if (clauses > kMaxClauses) throw CannotFollow(Message("trace.too_many_clauses", {{"limit", kMaxClauses}}));
    auto state = std::make_shared<State>(State{m_locals, {drawing(evaluate(*expr.items[elements]->items[1]))}});
    return lazy([this, &expr, elements, clauses, state]() -> std::optional<Value> {
        struct Scope {
            Scope(LocalNames& a, LocalNames& b) : outer(a), inner(b) { std::swap(outer, inner); }
            ~Scope() { std::swap(outer, inner); }
            LocalNames &outer, &inner;
        };
        const Scope scope(m_locals, state->names);
        while (!state->loops.empty()) {
            const auto item = state->loops.back()();
            if (!item) {
                state->loops.pop_back();
                continue;
            }
            const std::size_t clause = state->loops.size();
            const py::Expr& head = *expr.items[elements + clause - 1];
            assignTo(*head.items[0], *item);
            bool holds = true;
            for (std::size_t i = 2; i < head.items.size() && holds; ++i)
                holds = m_tracer.truth(evaluate(*head.items[i]));
            if (!holds) continue;
            if (clause < clauses) {
                state->loops.push_back(drawing(evaluate(*expr.items[elements + clause]->items[1])));
                continue;
            }
            if (elements == 1) return evaluate(*expr.items[0]);
            const Value key = evaluate(*expr.items[0]);
            return tupleOf({key, evaluate(*expr.items[1])});
        }
        return std::nullopt;
    });
}

Evaluator::Draw Evaluator::drawing(const Value& value) {
    if (const auto* values = value.as<LazyValues>()) return values->next;
    return [items = std::make_shared<const Values>(iterate(value)),
            at = std::make_shared<std::size_t>(0)]() -> std::optional<Value> {
        return *at < items->size() ? std::optional((*items)[(*at)++]) : std::nullopt;
    };
}

/// One may draw from another: how many there are bounds how deep that goes.
Value Evaluator::lazy(Draw draw) {
    constexpr std::size_t kMaxGenerators = 2000;
    if (++m_generators > kMaxGenerators)
        throw CannotFollow(Message("trace.too_many_generators", {{"limit", kMaxGenerators}}));
    return box(LazyValues{std::move(draw)});
}

Value Evaluator::drawn(const Value& value) { return value.as<LazyValues>() ? tupleOf(iterate(value)) : value; }

void Evaluator::setAttribute(const Value& object, std::string_view, const Value&) {
    throw CannotFollow(Message("trace.unsupported_attribute_assignment", {{"value", textOf(object)}}));
}

Value Evaluator::lambdaValue(const py::Expr&) { throw CannotFollow(Message("python.unsupported_lambda")); }

Values Evaluator::iterate(const Value& value) {
    if (value.isProxy()) throw PythonError(Message("python.iterated"));
    if (const auto* values = value.as<LazyValues>()) {
        constexpr std::size_t kMaxItems = 100'000;
        Values out;
        while (auto item = values->next()) {
            if (out.size() == kMaxItems) throw CannotFollow(Message("trace.long_generator", {{"limit", kMaxItems}}));
            out.push_back(std::move(*item));
        }
        return out;
    }
    if (auto items = itemsOf(value)) return std::move(*items);
    throw CannotFollow(Message("trace.unknown_items", {{"value", textOf(value)}}));
}

Values Evaluator::items(const py::Expr& expr) {
    Values out;
    out.reserve(expr.items.size());
    for (const auto* item : expr.items) {
        if (item->kind != py::ExprKind::Starred) {
            out.push_back(evaluate(*item));
            continue;
        }
        const Value value = drawn(evaluate(*item->items[0]));
        const auto* sequence = value.as<ValueSequence>();
        if (value.isProxy()) throw PythonError(Message("python.iterated"));
        if (!sequence) throw CannotFollow(Message("trace.unsupported_unpacking", {{"value", textOf(value)}}));
        out.insert(out.end(), sequence->items.begin(), sequence->items.end());
    }
    return out;
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions.
#include "core/python/interpreter.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using trace::CannotFollow;

Value Interpreter::evaluate(const py::Expr& expr, Scope& scope) {
    Frame frame;
    frame.scope = &scope;
    frame.file = scope.file;
    frame.function = m_frame ? m_frame->function : nullptr;
    frame.self = m_frame ? m_frame->self : Value();
    Frame* const before = std::exchange(m_frame, &frame);
    struct Restore {
        Frame*& place;
        Frame* before;
        ~Restore() { place = before; }
    } restore{m_frame, before};
    return evaluateIn(expr);
}

Value Interpreter::evaluateIn(const py::Expr& expr) {
    switch (expr.kind) {
    case ExprKind::Name: m_here.offset = expr.offset; return name(expr.text);
    case ExprKind::Constant: return fromTrace({*expr.constant});
    case ExprKind::Attribute: {
        const Value object = evaluateIn(*expr.items[0]);
        m_here.offset = expr.offset;
        return isPrivate(expr.text) ? attribute(object, written(expr.text)) : attribute(object, expr.text);
    }
    case ExprKind::Subscript: {
        const Value object = evaluateIn(*expr.items[0]);
        const Value key = evaluateIn(*expr.items[1]);
        m_here.offset = expr.offset;
        return item(object, key);
    }
    case ExprKind::Call: return callExpression(expr);
    case ExprKind::Tuple: return tuple(items(expr));
    case ExprKind::List: return listOf(items(expr));
    case ExprKind::Set: {
        Set* set = m_heap.make<Set>();
        for (const Value& each : items(expr)) set->items.set(each, Value::none());
        return set;
    }
    case ExprKind::Dict: return dictionary(expr);
    case ExprKind::Slice: return sliceOf(expr);
    case ExprKind::Unary: {
        const Value operand = evaluateIn(*expr.items[0]);
        m_here.offset = expr.offset;
        if (expr.text == "not") return {!truth(operand)};
        if (expr.text == "await") throw CannotFollow(Message("trace.unsupported_expression"));
        return unary(expr.text == "-" ? "neg" : expr.text == "+" ? "pos" : "invert", operand);
    }
    case ExprKind::Binary: {
        const Value left = evaluateIn(*expr.items[0]);
        m_here.offset = expr.offset;
        if (expr.text == "and") return truth(left) ? evaluateIn(*expr.items[1]) : left;
        if (expr.text == "or") return truth(left) ? left : evaluateIn(*expr.items[1]);
        const Value right = evaluateIn(*expr.items[1]);
        m_here.offset = expr.offset;
        static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
            {"+", "add"}, {"-", "sub"},     {"*", "mul"},    {"/", "truediv"}, {"//", "floordiv"},
            {"%", "mod"}, {"**", "pow"},    {"@", "matmul"}, {"&", "and_"},    {"|", "or_"},
            {"^", "xor"}, {"<<", "lshift"}, {">>", "rshift"}};
        for (const auto& [sign, op] : kOperators)
            if (sign == expr.text) return binary(op, left, right);
        throw CannotFollow(Message("trace.unknown_operator", {{"operator", expr.text}}));
    }
    case ExprKind::Compare: {
        const Value left = evaluateIn(*expr.items[0]);
        const Value right = evaluateIn(*expr.items[1]);
        m_here.offset = expr.offset;
        return compare(expr.text, left, right);
    }
    case ExprKind::Conditional:
        return truth(evaluateIn(*expr.items[1])) ? evaluateIn(*expr.items[0]) : evaluateIn(*expr.items[2]);
    case ExprKind::Comprehension: return comprehension(expr);
    case ExprKind::Lambda: {
        Function* function = m_heap.make<Function>();
        function->name = "<lambda>";
        function->qualifiedName = qualified(function->name);
        function->file = m_frame->file;
        function->lambda = &expr;
        function->parameters = expr.parameters;
        function->closure = m_frame->scope->keep();
        function->owner = m_building;
        function->defaults = defaultsOf(expr.parameters, *m_frame->scope);
        return function;
    }
    case ExprKind::Named: {
        const Value value = evaluateIn(*expr.items[0]);
        Scope* const scope = m_frame->scope;
        if (m_frame->named) m_frame->scope = m_frame->named;
        bind(expr.text, value);
        m_frame->scope = scope;
        return value;
    }
    case ExprKind::Joined: return joined(expr);
    case ExprKind::Formatted: return joined(expr);
    case ExprKind::Yield: // what was sent, when a GeneratorRun goes on
        if (!m_frame->sent.isSet()) throw CannotFollow(Message("trace.yield_in_expression"));
        return std::exchange(m_frame->sent, {});
    case ExprKind::Starred:
    case ExprKind::Clause: break;
    }
    throw CannotFollow(Message("trace.unsupported_expression"));
}

/// A name as Python keeps it: `__name` in the body or in a method of `Class` is `_Class__name`.
std::string Interpreter::written(std::string_view name) const {
    const Class* type = m_building;
    if (!type && m_frame->function) type = m_frame->function->owner;
    if (!type || !isPrivate(name)) return std::string(name);
    const std::size_t start = type->name.find_first_not_of('_');
    return start == std::string::npos ? std::string(name) : "_" + type->name.substr(start) + std::string(name);
}

Value Interpreter::forcedIn(Scope& scope, std::string_view name, Value found) {
    if (!found.as<LazyImport>()) return found;
    const Value value = forced(found); // may add names to the scope
    scope.names.set(name, value);
    return value;
}

namespace {
bool bindsName(const py::Expr* target, std::string_view text) {
    if (!target) return false;
    if (target->kind == py::ExprKind::Name) return target->text == text;
    const bool isNested = target->kind == py::ExprKind::Tuple || target->kind == py::ExprKind::List ||
                          target->kind == py::ExprKind::Starred;
    return isNested && std::any_of(target->items.begin(), target->items.end(),
                                   [&](const py::Expr* part) { return bindsName(part, text); });
}

/// Whether a statement of the function binds the name: Python looks for it nowhere else then.
bool isLocalOf(const Function& function, std::string_view text) {
    if (function.lambda) return false;
    const py::SourceTree& tree = *function.file->tree;
    bool binds = false;
    for (std::size_t at = function.head + 1; at < function.file->ends[function.head]; ++at) {
        if (tree[at].kind == py::StmtKind::Global && std::any_of(tree[at].imports.begin(), tree[at].imports.end(),
                                                                 [&](const auto& each) { return each.name == text; }))
            return false;
        const bool isTarget = tree[at].kind != py::StmtKind::Class && tree[at].kind != py::StmtKind::Delete;
        binds = binds || (isTarget && std::any_of(tree[at].targets.begin(), tree[at].targets.end(),
                                                  [&](const py::Expr* target) { return bindsName(target, text); }));
    }
    return binds;
}
} // namespace

Value Interpreter::name(std::string_view text) {
    if (isPrivate(text))
        if (const Value* own = m_frame->scope->names.find(written(text))) return *own;
    for (const auto& [elsewhere, scope] : m_frame->scope->elsewhere)
        if (elsewhere == text)
            if (const Value* found = scope->names.find(text)) return forcedIn(*scope, text, *found);
    for (Scope* scope = m_frame->scope; scope; scope = scope->parent) {
        if (scope->isClass && scope != m_frame->scope) continue;
        if (const Value* found = scope->names.find(text)) return forcedIn(*scope, text, *found);
    }
    if (m_frame->file && !m_frame->file->starSpaces.empty())
        if (const Value found = starName(*m_frame->file, text); found.isSet()) return found;
    if (const Value* found = m_builtins.find(text)) return *found;
    if (m_frame->function && isLocalOf(*m_frame->function, text))
        raise("UnboundLocalError",
              "cannot access local variable '" + std::string(text) + "' where it is not associated with a value");
    raise("NameError", "name '" + std::string(text) + "' is not defined");
}

Values Interpreter::items(const py::Expr& expr) {
    Values out;
    out.reserve(expr.items.size());
    for (const auto* each : expr.items) {
        if (each->kind != ExprKind::Starred) {
            out.push_back(evaluateIn(*each));
            continue;
        }
        const Values more = list(evaluateIn(*each->items[0]));
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

Value Interpreter::dictionary(const py::Expr& expr) {
    Dict* dict = m_heap.make<Dict>();
    for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
        if (expr.items[i]) {
            const Value key = evaluateIn(*expr.items[i]);
            dict->set(key, evaluateIn(*expr.items[i + 1]));
            continue;
        }
        const Value more = evaluateIn(*expr.items[i + 1]);
        for (const Value& key : list(call(attribute(more, "keys"), {}))) dict->set(key, item(more, key));
    }
    return dict;
}

Value Interpreter::sliceOf(const py::Expr& expr) {
    SliceObject* slice = m_heap.make<SliceObject>();
    Value* const parts[] = {&slice->start, &slice->stop, &slice->step};
    for (std::size_t i = 0; i < 3; ++i) *parts[i] = expr.items[i] ? evaluateIn(*expr.items[i]) : Value::none();
    return slice;
}

Value Interpreter::joined(const py::Expr& expr) {
    if (expr.kind == ExprKind::Formatted) {
        Value value = evaluateIn(*expr.items[0]);
        std::string_view suffix = expr.text;
        if (suffix.starts_with("!")) {
            value = suffix[1] == 'a'   ? call(*m_builtins.find("ascii"), {value})
                    : suffix[1] == 's' ? text(str(value))
                                       : text(repr(value));
            suffix.remove_prefix(2);
        }
        if (expr.items.size() > 1) return text(format(value, str(evaluateIn(*expr.items[1]))));
        return text(format(value, suffix.empty() ? suffix : suffix.substr(1)));
    }
    std::string all;
    for (const auto* part : expr.items) all += str(evaluateIn(*part));
    return text(std::move(all));
}

// ── comprehensions ───────────────────────────────────────────────────────────────────────────────────────────────

/// Draws the values of a comprehension one by one, in a scope of its own.
class ComprehensionDraw {
public:
    ComprehensionDraw(Interpreter& in, const py::Expr& expr, Scope& outer, const Interpreter::Frame& frame)
        : m_in(in), m_expr(expr), m_frame(frame) {
        m_scope = in.newScope(outer.file, &outer);
        m_elements = expr.items[1]->kind == ExprKind::Clause ? 1 : 2;
        m_open.push_back(in.iterate(in.evaluateIn(*expr.items[m_elements]->items[1])));
        m_frame.scope = m_scope;
        m_frame.named = frame.named ? frame.named : frame.scope;
        m_frame.tries = 0;
    }

    Scope* scope() const { return m_scope; }

    /// The next element: a key and its value as a tuple of two. Unset at the end.
    Value next() {
        if (m_isRunning) m_in.raise("ValueError", "generator already executing");
        struct Running {
            ComprehensionDraw& draw;
            explicit Running(ComprehensionDraw& which) : draw(which) {
                draw.m_isRunning = true;
                draw.m_frame.caller = draw.m_in.m_frame; // the frame that began it may have ended
                draw.m_in.m_frame = &draw.m_frame;
            }
            ~Running() {
                draw.m_in.m_frame = draw.m_frame.caller;
                draw.m_isRunning = false;
            }
        } const running(*this);
        while (!m_open.empty()) {
            const py::Expr& clause = *m_expr.items[m_elements + m_open.size() - 1];
            const Value value = m_open.back()->next();
            if (!value.isSet()) {
                m_open.pop_back();
                continue;
            }
            m_in.step(m_in.m_here.offset);
            m_in.assign(*clause.items[0], value);
            const bool wanted = std::all_of(clause.items.begin() + 2, clause.items.end(),
                                            [&](const auto* test) { return m_in.truth(m_in.evaluateIn(*test)); });
            if (!wanted) continue;
            if (m_elements + m_open.size() < m_expr.items.size()) {
                m_open.push_back(m_in.iterate(m_in.evaluateIn(*m_expr.items[m_elements + m_open.size()]->items[1])));
                continue;
            }
            if (m_elements == 1) return m_in.evaluateIn(*m_expr.items[0]);
            const Value key = m_in.evaluateIn(*m_expr.items[0]);
            return m_in.tuple({key, m_in.evaluateIn(*m_expr.items[1])});
        }
        return {};
    }

private:
    Interpreter& m_in;
    const py::Expr& m_expr;
    Interpreter::Frame m_frame;
    Scope* m_scope = nullptr;
    std::size_t m_elements = 1;
    bool m_isRunning = false;
    std::vector<Iterator*> m_open;
};

Value Interpreter::comprehension(const py::Expr& expr) {
    auto draw = std::make_shared<ComprehensionDraw>(*this, expr, *m_frame->scope, *m_frame);
    if (expr.text == "(") {
        m_frame->scope->keep();
        return iterator([draw] { return draw->next(); });
    }
    if (expr.text == "{") {
        Dict* dict = m_heap.make<Dict>();
        for (Value pair = draw->next(); pair.isSet(); pair = draw->next())
            dict->set(pair.as<Tuple>()->items[0], pair.as<Tuple>()->items[1]);
        release(draw->scope());
        return dict;
    }
    List* all = m_heap.make<List>();
    for (Value value = draw->next(); value.isSet(); value = draw->next()) all->items.push_back(value);
    release(draw->scope());
    if (expr.text != "set") return all;
    Set* set = m_heap.make<Set>();
    for (const Value& value : all->items) set->items.set(value, Value::none());
    return set;
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

void Interpreter::arguments(const py::Expr& call, Values& args, Keywords& kwargs) {
    for (const auto& argument : call.arguments) {
        const Value value = evaluateIn(*argument.value);
        if (argument.name.empty()) {
            args.push_back(value);
        } else if (argument.name == "*") {
            const Values more = list(value);
            args.insert(args.end(), more.begin(), more.end());
        } else if (argument.name == "**") {
            if (isProxy(value)) throw trace::PythonError(Message("python.iterated"));
            if (auto* opaque = value.as<Opaque>(); opaque) continue;
            for (const Value& key : list(this->call(attribute(value, "keys"), {}))) {
                if (!key.as<Str>()) raise("TypeError", "keywords must be strings");
                kwargs.emplace_back(key.as<Str>()->text, item(value, key));
            }
        } else {
            kwargs.emplace_back(argument.name, value);
        }
    }
}

/// What is called; a method of an object goes without being bound, with the object as its first argument.
Value Interpreter::calleeOf(const py::Expr& called, Values& args) {
    if (called.kind != ExprKind::Attribute || called.text.starts_with("__")) return evaluateIn(called);
    const Value object = evaluateIn(*called.items[0]);
    m_here.offset = called.offset;
    const auto* instance = object.as<Instance>();
    const bool isPlain = instance && !instance->module && !instance->type->hasGetter;
    if (!isPlain || instance->attributes.find(called.text)) return attribute(object, called.text);
    const Value* member = instance->type->find(called.text);
    if (!member || (!member->as<Function>() && !member->as<Native>())) return attribute(object, called.text);
    args.push_back(object);
    return *member;
}

Value Interpreter::callExpression(const py::Expr& expr) {
    const py::Expr& called = *expr.items[0];
    const bool isSuper = called.kind == ExprKind::Name && called.text == "super";
    Values args;
    Keywords kwargs;
    if (isSuper) {
        arguments(expr, args, kwargs);
        return superValue(args);
    }
    args.reserve(expr.arguments.size() + 1); // with the object of a method
    const Value callee = calleeOf(called, args);
    arguments(expr, args, kwargs);
    m_here.file = m_frame->file;
    m_here.offset = expr.offset;
    return call(callee, std::move(args), std::move(kwargs));
}

/// `super()` and `super(Class, self)`.
Value Interpreter::superValue(const Values& args) {
    Super* super = m_heap.make<Super>();
    if (args.size() >= 2) {
        super->after = args[0].as<Class>();
        super->self = args[1];
    } else if (m_frame->function) {
        super->after = m_frame->function->owner;
        super->self = m_frame->self;
    }
    if (!super->after || !super->self.isSet()) raise("RuntimeError", "super(): no arguments");
    return super;
}

} // namespace fx::python

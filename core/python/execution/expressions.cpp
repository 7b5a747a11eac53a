// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions.
#include "core/ops/python_operators.h"
#include "core/python/builtins/call_shapes.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/body_rules.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using trace::CannotFollow;

Value Expressions::evaluate(const py::Expr& expr, Scope& scope) {
    Frame frame;
    frame.scope = &scope;
    frame.file = scope.file;
    frame.function = stack().frame ? stack().frame->function : nullptr;
    frame.self = stack().frame ? stack().frame->self : Value();
    Frame* const before = std::exchange(stack().frame, &frame);
    struct Restore {
        Frame*& place;
        Frame* before;
        ~Restore() { place = before; }
    } restore{stack().frame, before};
    return evaluateIn(expr);
}

namespace {
/// Whether an expression is `a < b < c`, which the parser writes as `a < b and b < c`.
bool isChain(const py::Expr& expr) {
    if (expr.kind != ExprKind::Binary || expr.text != "and" || expr.items[1]->kind != ExprKind::Compare) return false;
    const py::Expr& first = *expr.items[0];
    const py::Expr& before = first.kind == ExprKind::Binary ? *first.items[1] : first;
    return before.kind == ExprKind::Compare && before.items[1] == expr.items[1]->items[0];
}
} // namespace

/// A comparison or a chain of them, which evaluates each operand once. `last` gets the value of the last operand.
Value Expressions::chained(const py::Expr& expr, Value& last) {
    Value left;
    const py::Expr* compared = &expr;
    if (isChain(expr)) {
        const Value before = chained(*expr.items[0], left);
        if (!truth(before)) return before;
        compared = expr.items[1];
    } else {
        left = evaluateIn(*expr.items[0]);
    }
    last = evaluateIn(*compared->items[1]);
    stack().here.offset = compared->offset;
    return compare(compared->text, left, last);
}

Value Expressions::evaluateIn(const py::Expr& expr) {
    trace::checkStack();
    switch (expr.kind) {
    case ExprKind::Name: stack().here.offset = expr.offset; return name(expr.text);
    case ExprKind::Constant: return constant(expr);
    case ExprKind::Attribute: {
        const Value object = evaluateIn(*expr.items[0]);
        stack().here.offset = expr.offset;
        if (m_in.callRules) m_in.callRules->requireReadable(object, expr.text);
        return isPrivate(expr.text) ? attribute(object, written(expr.text)) : attribute(object, expr.text);
    }
    case ExprKind::Subscript: {
        const Value object = evaluateIn(*expr.items[0]);
        if (m_in.typeArguments().takes(object)) {
            const py::Expr& key = *expr.items[1];
            return m_in.typeArguments().made(expr, object,
                                             key.kind == ExprKind::Tuple ? items(key) : Values{evaluateIn(key)});
        }
        const Value key = evaluateIn(*expr.items[1]);
        stack().here.offset = expr.offset;
        if (m_in.callRules) m_in.callRules->requireItem(object);
        return item(object, key);
    }
    case ExprKind::Call: return callExpression(expr);
    case ExprKind::Tuple: return tuple(items(expr));
    case ExprKind::List: return listOf(items(expr));
    case ExprKind::Set: {
        Set* set = heap().make<Set>();
        if (expr.items.size() > 2 && ConstantSets::isConstant(expr))
            if (const Set* constant = m_in.constantSets().of(expr)) { // CPython adds it to an empty set
                set->merge(*constant);
                return set;
            }
        for (const auto* each : expr.items)
            if (each->kind == ExprKind::Starred) m_in.builtinMethods().addTo(*set, evaluateIn(*each->items[0]));
            else set->add(evaluateIn(*each));
        return set;
    }
    case ExprKind::Dict: return dictionary(expr);
    case ExprKind::Slice: return sliceOf(expr);
    case ExprKind::Unary: {
        const Value operand = evaluateIn(*expr.items[0]);
        stack().here.offset = expr.offset;
        if (expr.text == "not") return {!truth(operand)};
        if (expr.text == "await") throw CannotFollow(Message("trace.unsupported_expression"));
        return unary(ops::unaryOperator(expr.text), operand);
    }
    case ExprKind::Binary: {
        Value last;
        if (isChain(expr)) return chained(expr, last);
        const Value left = evaluateIn(*expr.items[0]);
        stack().here.offset = expr.offset;
        if (expr.text == "and") return truth(left) ? evaluateIn(*expr.items[1]) : left;
        if (expr.text == "or") return truth(left) ? left : evaluateIn(*expr.items[1]);
        const Value right = evaluateIn(*expr.items[1]);
        stack().here.offset = expr.offset;
        if (m_in.callRules && expr.text == "%" && plain(left).as<Str>()) m_in.callRules->requirePlain(right, "%");
        return binary(ops::binaryOperator(expr.text), left, right);
    }
    case ExprKind::Compare: {
        const Value left = evaluateIn(*expr.items[0]);
        const Value right = evaluateIn(*expr.items[1]);
        stack().here.offset = expr.offset;
        return compare(expr.text, left, right);
    }
    case ExprKind::Conditional:
        return truth(evaluateIn(*expr.items[1])) ? evaluateIn(*expr.items[0]) : evaluateIn(*expr.items[2]);
    case ExprKind::Comprehension: return comprehension(expr);
    case ExprKind::Lambda: {
        Function* function = heap().make<Function>();
        function->name = "<lambda>";
        function->qualifiedName = m_in.functions().qualified(function->name);
        function->file = stack().frame->file;
        function->lambda = &expr;
        function->parameters = expr.parameters;
        function->closure = stack().frame->scope->keep();
        function->owner = stack().building;
        function->defaults = m_in.calls().defaultsOf(expr.parameters, *stack().frame->scope);
        return function;
    }
    case ExprKind::Named: {
        const Value value = evaluateIn(*expr.items[0]);
        Scope* const scope = stack().frame->scope;
        if (stack().frame->named) stack().frame->scope = stack().frame->named;
        m_in.targets().bind(expr.text, value);
        stack().frame->scope = scope;
        return value;
    }
    case ExprKind::Joined: return joined(expr);
    case ExprKind::Formatted: return joined(expr);
    case ExprKind::Yield: // what was sent, when a GeneratorRun goes on
        if (!stack().frame->sent.isSet()) throw CannotFollow(Message("trace.yield_in_expression"));
        return std::exchange(stack().frame->sent, {});
    case ExprKind::Starred:
    case ExprKind::Clause: break;
    }
    throw CannotFollow(Message("trace.unsupported_expression"));
}

/// What a `for` iterates over: of a constant set, CPython takes the constant itself, in whose order it may differ.
Value Expressions::iterated(const py::Expr& expr) {
    if (ConstantSets::isConstant(expr))
        if (Set* constant = m_in.constantSets().of(expr)) return constant;
    return evaluateIn(expr);
}

/// A constant. Python keeps equal texts of a file once, and those that look like names once in all files.
Value Expressions::constant(const py::Expr& expr) {
    const auto* written = expr.constant->as<std::string>();
    if (!written) return fromTrace({*expr.constant});
    const bool isName = std::all_of(written->begin(), written->end(), [](char each) {
        return std::isalnum(static_cast<unsigned char>(each)) || each == '_';
    });
    TextObjects& texts = isName || !stack().frame->file ? m_interned : stack().frame->file->texts;
    const auto known = texts.find(*written);
    return known != texts.end() ? known->second : texts.emplace(*written, heap().make<Str>(*written)).first->second;
}

std::string Expressions::written(std::string_view name) const {
    const Class* type = stack().building;
    if (!type && stack().frame->function) type = stack().frame->function->owner;
    if (!type || !isPrivate(name)) return std::string(name);
    const std::size_t start = type->name.find_first_not_of('_');
    return start == std::string::npos ? std::string(name) : "_" + type->name.substr(start) + std::string(name);
}

Value Expressions::forcedIn(Scope& scope, std::string_view name, Value found) {
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
    using Kind = py::StmtKind;
    const py::SourceTree& tree = *function.file->tree;
    bool binds = false;
    for (std::size_t at = function.head + 1, next = at; at < function.file->ends[function.head]; at = next) {
        const py::Stmt& statement = tree[at];
        const bool isInner = statement.kind == Kind::Def || statement.kind == Kind::Class; // has names of its own
        next = isInner ? function.file->ends[at] : at + 1;
        const auto isNamed = [&](const auto& each) { return each.name == text; };
        if (statement.kind == Kind::Global && std::any_of(statement.imports.begin(), statement.imports.end(), isNamed))
            return false;
        const auto isTarget = [&](const py::Expr* target) { return bindsName(target, text); };
        binds = binds || (isInner ? statement.text == text
                                  : std::any_of(statement.targets.begin(), statement.targets.end(), isTarget) ||
                                        (statement.kind == Kind::Except && statement.alias == text));
    }
    return binds;
}
} // namespace

/// Whether the running function binds the name, as `isLocalOf` says.
bool Expressions::isLocal(std::string_view text) {
    if (!stack().frame->function) return false;
    auto& known = stack().frame->function->locals;
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    return known.emplace(std::string(text), isLocalOf(*stack().frame->function, text)).first->second;
}

Value Expressions::name(std::string_view text) {
    if (isPrivate(text))
        if (const Value* own = stack().frame->scope->names.find(written(text))) return *own;
    for (const auto& [elsewhere, scope] : stack().frame->scope->elsewhere)
        if (elsewhere == text)
            if (const Value* found = scope->names.find(text)) return forcedIn(*scope, text, *found);
    const Scope* const own = stack().frame->named ? stack().frame->named : stack().frame->scope;
    for (Scope* scope = stack().frame->scope; scope; scope = scope->parent) {
        if (scope->isClass && scope != stack().frame->scope) continue;
        if (const Value* found = scope->names.find(text)) return forcedIn(*scope, text, *found);
        if (scope == own && !scope->isClass && isLocal(text)) break;
    }
    if (!own->isClass && isLocal(text))
        raise("UnboundLocalError",
              "cannot access local variable '" + std::string(text) + "' where it is not associated with a value");
    if (stack().frame->file && !stack().frame->file->starSpaces.empty())
        if (const Value found = m_in.attributes().starName(*stack().frame->file, text); found.isSet()) return found;
    const Value* found = m_in.builtins().names().find(text);
    const bool isOwn =
        stack().frame->file && stack().frame->file->path.empty(); // which sees names that Python does not have
    if (found && (isOwn || isPythonBuiltin(text))) return *found;
    if (!found && isPythonBuiltin(text)) return heap().make<Opaque>("builtins." + std::string(text));
    raise("NameError", "name '" + std::string(text) + "' is not defined");
}

Values Expressions::items(const py::Expr& expr) {
    Values out;
    out.reserve(expr.items.size());
    for (const auto* each : expr.items) {
        if (each->kind != ExprKind::Starred) {
            out.push_back(evaluateIn(*each));
            continue;
        }
        const Values more = unpacked(evaluateIn(*each->items[0]), "Value");
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

Value Expressions::dictionary(const py::Expr& expr) {
    Dict* dict = heap().make<Dict>();
    for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
        if (expr.items[i]) {
            const Value key = evaluateIn(*expr.items[i]);
            dict->set(key, evaluateIn(*expr.items[i + 1]));
            continue;
        }
        const Value more = evaluateIn(*expr.items[i + 1]);
        requireKnown(more);
        const Value keys = softAttribute(more, "keys");
        if (!keys.isSet()) raise("TypeError", "'" + typeName(more) + "' object is not a mapping");
        for (const Value& key : list(call(keys, {}))) dict->set(key, item(more, key));
    }
    return dict;
}

Value Expressions::sliceOf(const py::Expr& expr) {
    SliceObject* slice = heap().make<SliceObject>();
    Value* const parts[] = {&slice->start, &slice->stop, &slice->step};
    for (std::size_t i = 0; i < 3; ++i) *parts[i] = expr.items[i] ? evaluateIn(*expr.items[i]) : Value::none();
    return slice;
}

Value Expressions::joined(const py::Expr& expr) {
    if (expr.kind == ExprKind::Formatted) {
        Value value = evaluateIn(*expr.items[0]);
        if (m_in.callRules) m_in.callRules->requirePlain(value, "format");
        if (const auto* unknown = value.as<Opaque>()) return heap().make<Opaque>(*unknown, "()"); // so is its text
        std::string_view suffix = expr.text;
        if (suffix.starts_with("!")) {
            value = suffix[1] == 'a'   ? call(*m_in.builtins().names().find("ascii"), {value})
                    : suffix[1] == 's' ? text(str(value))
                                       : text(repr(value));
            suffix.remove_prefix(2);
        }
        if (expr.items.size() > 1) return text(format(value, str(evaluateIn(*expr.items[1]))));
        return text(format(value, suffix.empty() ? suffix : suffix.substr(1)));
    }
    std::string all;
    const Opaque* unknown = nullptr;
    for (const auto* part : expr.items) {
        const Value piece = evaluateIn(*part);
        if (const auto* lost = piece.as<Opaque>()) unknown = lost;
        if (unknown) continue;
        const std::string shown = str(piece);
        trace::chargeBytes(shown.size());
        all += shown;
    }
    return unknown ? Value(heap().make<Opaque>(*unknown, "")) : text(std::move(all));
}

// ── comprehensions ───────────────────────────────────────────────────────────────────────────────────────────────

/// Draws the values of a comprehension one by one, in a scope of its own.
class ComprehensionDraw {
public:
    ComprehensionDraw(Interpreter& in, const py::Expr& expr, Scope& outer, const Frame& frame)
        : m_in(in), m_expr(expr), m_frame(frame) {
        m_scope = in.calls().newScope(outer.file, &outer);
        m_elements = expr.items[1]->kind == ExprKind::Clause ? 1 : 2;
        m_open.push_back(in.iterate(in.expressions().iterated(*expr.items[m_elements]->items[1])));
        m_frame.scope = m_scope;
        m_frame.named = frame.named ? frame.named : frame.scope;
        m_frame.tries = 0;
    }

    Scope* scope() const { return m_scope; }

    /// The next element: a key and its value as a tuple of two. Unset at the end.
    Value next() {
        trace::checkStack();
        if (m_isRunning) m_in.raise("ValueError", "generator already executing");
        struct Running {
            ComprehensionDraw& draw;
            explicit Running(ComprehensionDraw& which) : draw(which) {
                draw.m_isRunning = true;
                draw.m_frame.caller = draw.m_in.stack().frame; // the frame that began it may have ended
                draw.m_in.stack().frame = &draw.m_frame;
            }
            ~Running() {
                draw.m_in.stack().frame = draw.m_frame.caller;
                draw.m_isRunning = false;
            }
        } const untilLeft(*this);
        while (!m_open.empty()) {
            const py::Expr& clause = *m_expr.items[m_elements + m_open.size() - 1];
            const Value value = m_open.back()->next();
            if (!value.isSet()) {
                m_open.pop_back();
                continue;
            }
            m_in.statements().step(m_in.stack().here.offset);
            m_in.targets().assign(*clause.items[0], value);
            const bool wanted = std::all_of(clause.items.begin() + 2, clause.items.end(), [&](const auto* test) {
                return m_in.truth(m_in.expressions().evaluateIn(*test));
            });
            if (!wanted) continue;
            if (m_elements + m_open.size() < m_expr.items.size()) {
                m_open.push_back(
                    m_in.iterate(m_in.expressions().iterated(*m_expr.items[m_elements + m_open.size()]->items[1])));
                continue;
            }
            if (m_elements == 1) return m_in.expressions().evaluateIn(*m_expr.items[0]);
            const Value key = m_in.expressions().evaluateIn(*m_expr.items[0]);
            return m_in.tuple({key, m_in.expressions().evaluateIn(*m_expr.items[1])});
        }
        return {};
    }

private:
    Interpreter& m_in;
    const py::Expr& m_expr;
    Frame m_frame;
    Scope* m_scope = nullptr;
    std::size_t m_elements = 1;
    bool m_isRunning = false;
    std::vector<Iterator*> m_open;
};

Value Expressions::comprehension(const py::Expr& expr) {
    auto draw = std::make_shared<ComprehensionDraw>(m_in, expr, *stack().frame->scope, *stack().frame);
    if (expr.text == "(") {
        stack().frame->scope->keep();
        return iterator([draw] { return draw->next(); });
    }
    if (expr.text == "{") {
        Dict* dict = heap().make<Dict>();
        for (Value pair = draw->next(); pair.isSet(); pair = draw->next())
            dict->set(pair.get<Tuple>().items[0], pair.get<Tuple>().items[1]);
        m_in.calls().release(draw->scope());
        return dict;
    }
    if (expr.text == "set") {
        Set* set = heap().make<Set>();
        for (Value value = draw->next(); value.isSet(); value = draw->next()) set->add(value);
        m_in.calls().release(draw->scope());
        return set;
    }
    List* all = heap().make<List>();
    for (Value value = draw->next(); value.isSet(); value = draw->next()) {
        trace::chargeBytes(sizeof(Value));
        all->items.push_back(value);
    }
    m_in.calls().release(draw->scope());
    return all;
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {
/// Whether `*value` is possible; unknown objects and proxies have errors of their own.
bool isUnpackable(const Value& value) {
    const auto* object = value.as<Instance>();
    if (object && !object->module && !object->payload.isSet())
        return object->type->find("__iter__") || object->type->find("__getitem__");
    return !value.isNumber() && !value.isNone() && !value.as<Function>() && !value.as<Native>() && !value.as<Method>();
}
} // namespace

/// The items of `*value` in a display or a call.
Values Expressions::unpacked(const Value& value, const std::string& where) {
    if (!isUnpackable(value)) raise("TypeError", where + " after * must be an iterable, not " + typeName(value));
    return m_in.iteration().filled(value);
}

/// What Python calls a function in errors about the arguments of a call: "module.function()".
std::string Expressions::calledName(const Value& callee) {
    if (const auto* native = callee.as<Native>())
        return (native->shape ? std::string(native->shape->name) : native->name) + "()";
    const Value path = softAttribute(callee, "__qualname__"), module = softAttribute(callee, "__module__");
    if (!path.as<Str>()) return repr(callee);
    const bool isInModule = module.as<Str>() && module.get<Str>().text != "builtins";
    return (isInModule ? module.get<Str>().text + "." : "") + path.get<Str>().text + "()";
}

void Expressions::arguments(const py::Expr& call, const Value& callee, Values& args, Keywords& kwargs) {
    const auto addKeyword = [&](std::string name, const Value& value) {
        if (keyword(kwargs, name))
            raise("TypeError", calledName(callee) + " got multiple values for keyword argument '" + name + "'");
        kwargs.emplace_back(std::move(name), value);
    };
    const auto isByPlace = [](const auto& each) { return each.name.empty() || each.name == "*"; };
    for (const auto& argument : call.arguments) {
        const Value value = evaluateIn(*argument.value);
        if (argument.name.empty()) {
            args.push_back(value);
        } else if (argument.name == "*") {
            const bool isOnly = std::count_if(call.arguments.begin(), call.arguments.end(), isByPlace) == 1;
            const bool isWrong = isOnly && !isUnpackable(value);
            const Values more = unpacked(value, isWrong ? calledName(callee) + " argument" : "Value");
            args.insert(args.end(), more.begin(), more.end());
        } else if (argument.name == "**") {
            if (isProxy(value)) throw trace::PythonError(Message("python.iterated"));
            if (const auto* unknown = value.as<Opaque>()) throw CannotFollow(unknownImport(*unknown));
            const Value keys = softAttribute(value, "keys");
            if (!keys.isSet())
                raise("TypeError", calledName(callee) + " argument after ** must be a mapping, not " + typeName(value));
            for (const Value& key : list(this->call(keys, {}))) {
                const Value name = plain(key);
                if (!name.as<Str>()) raise("TypeError", "keywords must be strings");
                addKeyword(name.get<Str>().text, item(value, key));
            }
        } else {
            addKeyword(std::string(argument.name), value);
        }
    }
}

/// What is called; a method of an object goes without being bound, with the object as its first argument.
Value Expressions::calleeOf(const py::Expr& called, Values& args) {
    if (called.kind != ExprKind::Attribute || called.text.starts_with("__")) return evaluateIn(called);
    const Value object = evaluateIn(*called.items[0]);
    stack().here.offset = called.offset;
    if (m_in.callRules) m_in.callRules->requireReadable(object, called.text);
    const auto* instance = object.as<Instance>();
    const bool isPlain = instance && !instance->module && !instance->type->hasGetter;
    if (!isPlain || instance->attributes.find(called.text)) return attribute(object, called.text);
    const Value* member = instance->type->find(called.text);
    if (!member || (!member->as<Function>() && !member->as<Native>())) return attribute(object, called.text);
    args.push_back(object);
    return *member;
}

Value Expressions::callExpression(const py::Expr& expr) {
    const py::Expr& called = *expr.items[0];
    const bool isSuper = called.kind == ExprKind::Name && called.text == "super";
    Values args;
    Keywords kwargs;
    if (isSuper) {
        arguments(expr, m_in.builtinClass("super"), args, kwargs);
        return superValue(args);
    }
    args.reserve(expr.arguments.size() + 1); // with the object of a method
    const Value callee = calleeOf(called, args);
    arguments(expr, callee, args, kwargs);
    stack().here.file = stack().frame->file;
    stack().here.offset = expr.offset;
    if (const auto* unknown = callee.as<Opaque>()) {
        if (!m_in.rules) requireUnchanged(*unknown, expr);
        else if (unknown->path.starts_with("builtins.")) throw CannotFollow(unknownImport(*unknown)); // `open`
    }
    const Value made = call(callee, std::move(args), std::move(kwargs));
    if (m_in.rules && traces()) m_in.rules->check(tracer());
    return made;
}

/// Throws CannotFollow if an unknown function gets a list, dict or set of the program, which it may change.
void Expressions::requireUnchanged(const Opaque& unknown, const py::Expr& call) {
    for (const auto& argument : call.arguments) {
        if (argument.value->kind != ExprKind::Name) continue;
        const Value held = plain(name(argument.value->text));
        if (held.as<List>() || held.as<Dict>() || held.as<Set>()) throw CannotFollow(unknownImport(unknown));
    }
}

/// `super()` and `super(Class, self)`.
Value Expressions::superValue(const Values& args) {
    Super* super = heap().make<Super>();
    if (args.size() >= 2) {
        super->after = args[0].as<Class>();
        super->self = args[1];
    } else if (args.size() == 1) {
        throw CannotFollow(Message("trace.not_computed", {{"function", "super(type)"}}));
    } else if (stack().frame->function) {
        super->after = stack().frame->function->owner;
        super->self = stack().frame->self;
    }
    if (!super->after || !super->self.isSet()) raise("RuntimeError", "super(): no arguments");
    return super;
}

} // namespace fx::python

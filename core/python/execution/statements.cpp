// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of functions and class bodies.
#include "core/python/interpreter.h"

#include <algorithm>

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

/// What Python raises as an object, also where the tracer noticed it.
Value Interpreter::exceptionOf(const PythonError& error) {
    if (!error.type().empty()) {
        Class* raised = builtinClass(error.type());
        if (!raised || !raised->isException) raised = builtinClass("RuntimeError"); // what it derives from in PyTorch
        return instantiate(raised, {text(error.text())}, {});
    }
    const std::string_view text = error.what();
    const std::size_t colon = text.find(':');
    Class* type = builtinClass(text.substr(0, colon));
    if (!type || !type->isException) type = builtinClass("Exception");
    Values args;
    if (colon != std::string_view::npos)
        args.push_back(this->text(std::string(text.substr(std::min(colon + 2, text.size())))));
    return instantiate(type, std::move(args), {});
}

Value Interpreter::exceptionIn(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Raised& raised) { return raised.exception; } catch (const PythonError& raised) {
        return exceptionOf(raised);
    }
}

/// The `except` that takes it, with its name bound.
std::optional<std::size_t> Interpreter::handlerFor(const std::vector<std::size_t>& handlers, const Value& exception) {
    for (const std::size_t handler : handlers) {
        const py::Stmt& head = tree()[handler];
        if (head.value && !isInstance(exception, evaluateIn(*head.value))) continue;
        if (!head.alias.empty()) bind(head.alias, exception);
        failedIn.clear();
        return handler;
    }
    return std::nullopt;
}

Interpreter::TryParts Interpreter::tryParts(std::size_t& at, std::size_t end) const {
    TryParts parts;
    const std::uint32_t indent = tree()[at].indent;
    for (at = bodyEnd(at); at < end && tree()[at].indent == indent; at = bodyEnd(at)) {
        const Kind kind = tree()[at].kind;
        if (kind == Kind::Except) parts.handlers.push_back(at);
        else if (kind == Kind::Else && !parts.otherwise) parts.otherwise = at;
        else if (kind == Kind::Finally) parts.finally = at;
        else break;
    }
    return parts;
}

Interpreter::Flow Interpreter::runTry(std::size_t& at, std::size_t end) {
    const std::size_t head = at;
    const TryParts parts = tryParts(at, end);
    Frame* const frame = m_frame;
    Class* const building = m_building;
    Flow flow = Flow::Next;
    try {
        flow = runGuarded(head, parts);
    } catch (...) {
        m_frame = frame;
        m_building = building;
        if (!parts.finally) throw;
        const auto raisedAt = m_here;
        const Flow last = runBody(*parts.finally);
        if (last != Flow::Next) return last;
        m_here = raisedAt;
        throw;
    }
    if (!parts.finally) return flow;
    const Flow last = runBody(*parts.finally);
    return last == Flow::Next ? flow : last;
}

bool Interpreter::isTrying() const {
    for (const Frame* frame = m_frame; frame; frame = frame->caller)
        if (frame->tries > 0) return true;
    return false;
}

/// The body of a `try` with its handlers and `else`.
Interpreter::Flow Interpreter::runGuarded(std::size_t head, const TryParts& parts) {
    Frame* const frame = m_frame;
    Class* const building = m_building;
    const std::size_t tries = frame->tries;
    Flow flow = Flow::Next;
    std::exception_ptr error;
    try {
        ++frame->tries;
        flow = runBody(head);
    } catch (const Raised&) { error = std::current_exception(); } catch (const PythonError&) {
        error = std::current_exception();
    }
    frame->tries = tries;
    if (!error) return flow == Flow::Next && parts.otherwise ? runBody(*parts.otherwise) : flow;
    m_frame = frame;
    m_building = building;
    if (parts.handlers.empty()) std::rethrow_exception(error);
    const auto raisedAt = m_here;
    const Value exception = exceptionIn(error);
    const auto handler = handlerFor(parts.handlers, exception);
    if (!handler) {
        m_here = raisedAt;
        std::rethrow_exception(error);
    }
    const Value before = std::exchange(frame->handled, exception);
    flow = runBody(*handler);
    frame->handled = before;
    return flow;
}

/// Enters the context with that number of a `with`, and gives it. Contexts of torch and of unknown modules change
/// nothing that is recorded.
Value Interpreter::enter(std::size_t head, std::size_t number) {
    const py::Stmt& statement = tree()[head];
    const Value context = evaluateIn(*statement.value->items[number]);
    Value value = context;
    if (const Value enter = specialMethod(context, "__enter__"); enter.isSet()) value = call(enter, {});
    else if (context.as<Instance>() || context.as<Iterator>())
        raise("TypeError", "'" + str(attribute(typeOf(context), "__name__")) +
                               "' object does not support the context manager protocol");
    if (statement.targets[number]) assign(*statement.targets[number], value.isSet() ? value : Value::none());
    return context;
}

/// Leaves a context with an exception or unset; true if it suppresses that.
bool Interpreter::leave(const Value& context, const Value& exception) {
    const Value exit = specialMethod(context, "__exit__");
    if (!exit.isSet()) return false;
    if (!exception.isSet()) return truth(call(exit, {Value::none(), Value::none(), Value::none()}));
    if (!truth(call(exit, {typeOf(exception), exception, Value::none()}))) return false;
    failedIn.clear();
    return true;
}

/// The contexts of a `with` from `first` on, then its body.
Interpreter::Flow Interpreter::runWith(std::size_t head, std::size_t first) {
    if (first == tree()[head].value->items.size()) return runBody(head);
    const Value context = enter(head, first);
    Frame* const frame = m_frame;
    Class* const building = m_building;
    const auto* suppressing = context.as<Instance>(); // counts as a `try`
    const std::size_t tries = frame->tries;
    if (suppressing && suppressing->type->name == "suppress") ++frame->tries;
    Flow flow = Flow::Next;
    std::exception_ptr error;
    try {
        flow = runWith(head, first + 1);
    } catch (const Raised&) { error = std::current_exception(); } catch (const PythonError&) {
        error = std::current_exception();
    }
    m_frame = frame;
    frame->tries = tries;
    m_building = building;
    if (!leave(context, error ? exceptionIn(error) : Value()) && error) std::rethrow_exception(error);
    return error ? Flow::Next : flow;
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

// ── match ────────────────────────────────────────────────────────────────────────────────────────────────────────

/// The `case` that matches, with its names bound.
std::optional<std::size_t> Interpreter::matchedCase(std::size_t head) {
    const Value value = evaluateIn(*tree()[head].value);
    for (std::size_t at = head + 1, end = bodyEnd(head); at < end; at = bodyEnd(at)) {
        const py::Stmt& branch = tree()[at];
        if (branch.kind != Kind::Case || !matches(*branch.value, value)) continue;
        if (!branch.alias.empty()) bind(branch.alias, value);
        if (branch.annotation && !truth(evaluateIn(*branch.annotation))) continue;
        return at;
    }
    return std::nullopt;
}

bool Interpreter::matches(const py::Expr& pattern, const Value& value) {
    switch (pattern.kind) {
    case ExprKind::Name:
        if (pattern.text != "_") bind(pattern.text, value);
        return true;
    case ExprKind::Binary: return matches(*pattern.items[0], value) || matches(*pattern.items[1], value);
    case ExprKind::Tuple:
    case ExprKind::List: return matchesSequence(pattern, value);
    case ExprKind::Dict: return matchesMapping(pattern, value);
    case ExprKind::Call: return matchesClass(pattern, value);
    case ExprKind::Constant: {
        const Value wanted = evaluateIn(pattern);
        return wanted.kind == Value::Kind::Object || wanted.isNumber() ? equal(wanted, value) : wanted.sameAs(value);
    }
    default: return equal(evaluateIn(pattern), value);
    }
}

bool Interpreter::matchesSequence(const py::Expr& pattern, const Value& value) {
    const Value& in = plain(value);
    if (!in.as<Tuple>() && !in.as<List>()) return false;
    const Values given = list(in);
    const std::size_t size = pattern.items.size();
    std::size_t star = 0; // the place of `*rest`, or the end
    while (star < size && pattern.items[star]->kind != ExprKind::Starred) ++star;
    const std::size_t after = star < size ? size - star - 1 : 0;
    if (star < size ? given.size() < star + after : given.size() != size) return false;
    for (std::size_t i = 0; i < star; ++i)
        if (!matches(*pattern.items[i], given[i])) return false;
    for (std::size_t i = 0; i < after; ++i)
        if (!matches(*pattern.items[star + 1 + i], given[given.size() - after + i])) return false;
    if (star < size)
        matches(*pattern.items[star]->items[0], listOf(Values(given.begin() + static_cast<std::ptrdiff_t>(star),
                                                              given.end() - static_cast<std::ptrdiff_t>(after))));
    return true;
}

bool Interpreter::matchesMapping(const py::Expr& pattern, const Value& value) {
    const auto* dict = plain(value).as<Dict>();
    if (!dict) return false;
    Dict* left = m_heap.make<Dict>(); // for `**rest`
    dict->forEach([&](const Value& key, const Value& each) { left->set(key, each); });
    for (std::size_t i = 0; i + 1 < pattern.items.size(); i += 2) {
        if (!pattern.items[i]) {
            matches(*pattern.items[i + 1], left);
            continue;
        }
        const Value key = evaluateIn(*pattern.items[i]);
        const Value* found = left->find(key);
        const Value part = found ? *found : Value();
        if (!part.isSet() || !matches(*pattern.items[i + 1], part)) return false;
        left->erase(key);
    }
    return true;
}

bool Interpreter::matchesClass(const py::Expr& pattern, const Value& value) {
    const Value type = evaluateIn(*pattern.items[0]);
    if (!isInstance(value, type)) return false;
    const auto* made = type.as<Class>();
    const Value* names = made ? made->find("__match_args__") : nullptr;
    std::size_t at = 0;
    for (const auto& argument : pattern.arguments) {
        std::string name(argument.name);
        if (name.empty() && !names && (!made || at >= made->fields.size()))
            return at == 0 && matches(*argument.value, value);
        if (name.empty()) name = names ? str(item(*names, Value::integerOf(at))) : made->fields[at];
        ++at;
        const Value part = findAttribute(value, name);
        if (!part.isSet() || !matches(*argument.value, part)) return false;
    }
    return true;
}

// ── names and targets ────────────────────────────────────────────────────────────────────────────────────────────

void Interpreter::bind(std::string_view name, const Value& value) {
    if (m_frame->scope->isClass && isPrivate(name)) return m_frame->scope->names.set(written(name), value);
    for (const auto& [elsewhere, scope] : m_frame->scope->elsewhere)
        if (elsewhere == name) return scope->names.set(name, value);
    m_frame->scope->names.set(name, value);
}

void Interpreter::assign(const py::Expr& target, const Value& value) {
    switch (target.kind) {
    case ExprKind::Name: return bind(target.text, value);
    case ExprKind::Tuple:
    case ExprKind::List: return assignMany(target, value);
    case ExprKind::Attribute: return setAttribute(evaluateIn(*target.items[0]), written(target.text), value);
    case ExprKind::Subscript: {
        const Value object = evaluateIn(*target.items[0]);
        return setItem(object, evaluateIn(*target.items[1]), value);
    }
    case ExprKind::Starred: return assign(*target.items[0], value);
    default: throw CannotFollow(Message("trace.unsupported_assignment"));
    }
}

void Interpreter::assignMany(const py::Expr& targets, const Value& value) {
    const std::size_t count = targets.items.size();
    const auto starred = std::find_if(targets.items.begin(), targets.items.end(),
                                      [](const auto* item) { return item->kind == ExprKind::Starred; });
    if (isProxy(value) && starred == targets.items.end()) {
        const auto parts = m_tracer->unpack(toTrace(value), count);
        for (std::size_t i = 0; i < count; ++i) assign(*targets.items[i], fromTrace(parts[i]));
        return;
    }
    const Values parts = list(value);
    if (starred == targets.items.end()) {
        if (parts.size() != count)
            raise("ValueError", parts.size() > count
                                    ? "too many values to unpack (expected " + std::to_string(count) + ")"
                                    : "not enough values to unpack (expected " + std::to_string(count) + ", got " +
                                          std::to_string(parts.size()) + ")");
        for (std::size_t i = 0; i < count; ++i) assign(*targets.items[i], parts[i]);
        return;
    }
    const auto before = starred - targets.items.begin(), after = targets.items.end() - starred - 1;
    if (static_cast<std::ptrdiff_t>(parts.size()) < before + after)
        raise("ValueError", "not enough values to unpack (expected at least " + std::to_string(before + after) +
                                ", got " + std::to_string(parts.size()) + ")");
    for (std::ptrdiff_t i = 0; i < before; ++i)
        assign(*targets.items[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(i)]);
    assign(**starred, listOf(Values(parts.begin() + before, parts.end() - after)));
    for (std::ptrdiff_t i = 0; i < after; ++i)
        assign(*starred[i + 1], parts[parts.size() - static_cast<std::size_t>(after - i)]);
}

void Interpreter::remove(const py::Expr& target) {
    if (target.kind == ExprKind::Name) {
        m_frame->scope->names.erase(target.text);
    } else if (target.kind == ExprKind::Subscript) {
        const Value object = evaluateIn(*target.items[0]);
        deleteItem(object, evaluateIn(*target.items[1]));
    } else if (target.kind == ExprKind::Attribute) {
        removeAttribute(evaluateIn(*target.items[0]), written(target.text));
    } else if (target.kind == ExprKind::Tuple) {
        for (const auto* each : target.items) remove(*each);
    }
}

void Interpreter::augment(const py::Stmt& statement) {
    const py::Expr& target = *statement.targets[0];
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"+", "add"}, {"-", "sub"},     {"*", "mul"},    {"/", "truediv"}, {"//", "floordiv"},
        {"%", "mod"}, {"**", "pow"},    {"@", "matmul"}, {"&", "and_"},    {"|", "or_"},
        {"^", "xor"}, {"<<", "lshift"}, {">>", "rshift"}};
    const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                    [&](const auto& pair) { return pair.first == statement.text; });
    const Value object = target.kind == ExprKind::Name ? Value() : evaluateIn(*target.items[0]);
    const Value key = target.kind == ExprKind::Subscript ? evaluateIn(*target.items[1]) : Value();
    const Value current = target.kind == ExprKind::Name        ? name(target.text)
                          : target.kind == ExprKind::Attribute ? attribute(object, written(target.text))
                                                               : item(object, key);
    const Value operand = evaluateIn(*statement.value);
    Value result;
    if (auto* list = current.as<List>(); list && found->second == "add") {
        const Values more = this->list(operand);
        list->items.insert(list->items.end(), more.begin(), more.end());
        result = current;
    } else if (auto* dict = current.as<Dict>(); dict && found->second == "or_" && operand.as<Dict>()) {
        operand.as<Dict>()->forEach([&](const Value& each, const Value& value) { dict->set(each, value); });
        result = current;
    } else if (tensorIn(current)) {
        m_numbers.bytesAreCurrent = machine == nullptr;
        m_numbers.forget();
        result = fromTrace(m_tracer->inPlace(found->second, toTrace(current), toOperand(operand, isProxy(operand))));
    } else if (const Value own = specialMethod(current, "__i" + std::string(found->second) + "__"); own.isSet()) {
        result = call(own, {operand});
    } else {
        result = binary(found->second, current, operand);
    }
    if (target.kind == ExprKind::Name) bind(target.text, result);
    else if (target.kind == ExprKind::Attribute) setAttribute(object, written(target.text), result);
    else setItem(object, key, result);
}

void Interpreter::raiseStatement(const py::Stmt& statement) {
    Value value = statement.value ? evaluateIn(*statement.value) : m_frame->handled;
    if (!value.isSet()) raise("RuntimeError", "No active exception to reraise");
    if (value.as<Class>()) value = call(value, {});
    if (auto* raised = value.as<Instance>()) {
        Value cause = statement.annotation ? evaluateIn(*statement.annotation) : Value();
        if (cause.as<Class>()) cause = call(cause, {});
        if (cause.isSet()) raised->attributes.set("__cause__", cause);
        const Value handled = m_frame->handled;
        if (handled.isSet() && !handled.sameAs(value)) raised->attributes.set("__context__", handled);
    }
    failedIn.clear();
    throw Raised{value};
}

void Interpreter::raise(std::string_view type, const std::string& message) {
    Values args;
    if (!message.empty()) args.push_back(text(message));
    throw Raised{instantiate(builtinClass(type), std::move(args), {})};
}

std::string Interpreter::describe(const Raised& raised) {
    const std::string message = str(raised.exception);
    const auto* instance = raised.exception.as<Instance>();
    const std::string name = instance ? instance->type->name : "Exception";
    return message.empty() ? name : name + ": " + message;
}

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions and contexts: `try`, `with` and `raise`.
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>
#include <array>

namespace fx::python {
using Kind = py::StmtKind;
using trace::PythonError;

namespace {
/// While a frame handles an exception.
struct Handling {
    Handling(Frame& within, const Value& handled) : frame(within), before(std::exchange(within.handled, handled)) {}
    ~Handling() { frame.handled = before; }
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;
    Frame& frame;
    Value before;
};
} // namespace

std::optional<std::size_t> Statements::handlerFor(const std::vector<std::size_t>& handlers, const Value& exception) {
    for (const std::size_t handler : handlers) {
        const py::Stmt& head = stack().tree()[handler];
        if (head.value && !isInstance(exception, m_in.expressions().evaluateIn(*head.value))) continue;
        if (!head.alias.empty()) m_in.targets().bind(head.alias, exception);
        stack().forgetFailure();
        return handler;
    }
    return std::nullopt;
}

TryParts Statements::tryParts(std::size_t& at, std::size_t end) const {
    TryParts parts;
    const std::uint32_t indent = stack().tree()[at].indent;
    for (at = stack().bodyEnd(at); at < end && stack().tree()[at].indent == indent; at = stack().bodyEnd(at)) {
        const Kind kind = stack().tree()[at].kind;
        if (kind == Kind::Except) parts.handlers.push_back(at);
        else if (kind == Kind::Else && !parts.otherwise) parts.otherwise = at;
        else if (kind == Kind::Finally) parts.finally = at;
        else break;
    }
    return parts;
}

bool Statements::mayCatchTensorErrors(const TryParts& parts) const {
    static constexpr std::array<std::string_view, 9> kOthers = {
        "AssertionError",      "AttributeError", "FileNotFoundError", "ImportError",  "KeyError",
        "ModuleNotFoundError", "NameError",      "OSError",           "StopIteration"};
    // Lancet's own modules ask whether a class implements a method; PyTorch also raises it for missing kernels.
    const bool isOwn = stack().frame->file->path.empty();
    const auto catchesOther = [&](const py::Expr* type) {
        if (type->kind != py::ExprKind::Name) return false;
        return (isOwn && type->text == "NotImplementedError") ||
               std::find(kOthers.begin(), kOthers.end(), type->text) != kOthers.end();
    };
    return std::any_of(parts.handlers.begin(), parts.handlers.end(), [&](std::size_t handler) {
        const py::Expr* type = stack().tree()[handler].value;
        if (!type || type->kind != py::ExprKind::Tuple) return !type || !catchesOther(type);
        return !std::all_of(type->items.begin(), type->items.end(), catchesOther);
    });
}

Flow Statements::runTry(std::size_t& at, std::size_t end) {
    const std::size_t head = at;
    const TryParts parts = tryParts(at, end);
    Frame* const frame = stack().frame;
    Class* const building = stack().building;
    Flow flow = Flow::Next;
    try {
        flow = runGuarded(head, parts);
    } catch (...) {
        stack().frame = frame;
        stack().building = building;
        const Value exception = parts.finally ? m_in.exceptions().findException(std::current_exception()) : Value();
        if (!exception.isSet()) throw; // what cannot be followed ends here: `finally` could replace it
        const auto raisedAt = stack().here;
        const Handling untilLeft(*frame, exception);
        const Flow last = runBody(*parts.finally);
        if (last != Flow::Next) return last;
        stack().here = raisedAt;
        throw;
    }
    if (!parts.finally) return flow;
    const Flow last = runBody(*parts.finally);
    return last == Flow::Next ? flow : last;
}

/// The body of a `try` with its handlers and `else`.
Flow Statements::runGuarded(std::size_t head, const TryParts& parts) {
    Frame* const frame = stack().frame;
    Class* const building = stack().building;
    const std::size_t tries = frame->tries, catches = frame->catches;
    Flow flow = Flow::Next;
    std::exception_ptr error;
    try {
        ++frame->tries;
        if (mayCatchTensorErrors(parts)) ++frame->catches;
        flow = runBody(head);
    } catch (const Raised&) { error = std::current_exception(); } catch (const PythonError&) {
        error = std::current_exception();
    }
    frame->tries = tries;
    frame->catches = catches;
    if (!error) return flow == Flow::Next && parts.otherwise ? runBody(*parts.otherwise) : flow;
    stack().frame = frame;
    stack().building = building;
    if (parts.handlers.empty()) std::rethrow_exception(error);
    const auto raisedAt = stack().here;
    const Value exception = m_in.exceptions().exceptionIn(error);
    const auto handler = handlerFor(parts.handlers, exception);
    if (!handler) {
        stack().here = raisedAt;
        std::rethrow_exception(error);
    }
    const Value before = std::exchange(frame->handled, exception);
    const auto leave =
        [&,
         alias = stack().tree()[*handler].alias] { // Python deletes the name; not in a destructor, since that may throw
            frame->handled = before;
            forgetName(*frame, alias);
        };
    try {
        flow = runBody(*handler);
    } catch (...) {
        leave();
        throw;
    }
    leave();
    return flow;
}

void Statements::forgetName(const Frame& frame, std::string_view name) {
    if (name.empty()) return;
    for (const auto& [elsewhere, scope] : frame.scope->elsewhere)
        if (elsewhere == name) return void(scope->names.erase(name));
    frame.scope->names.erase(name);
}

Value Statements::enter(std::size_t head, std::size_t number) {
    const py::Stmt& statement = stack().tree()[head];
    const Value context = m_in.expressions().evaluateIn(*statement.value->items[number]);
    Value value = context;
    if (m_in.callRules) m_in.callRules->requireContext(context);
    if (const Value enter = specialMethod(context, "__enter__"); enter.isSet()) value = call(enter, {});
    else if (m_in.metaDevice().enterDevice(context)) value = context;
    else if (!context.as<Opaque>() && !context.as<Traced>())
        raise("TypeError", "'" + typeName(context) + "' object does not support the context manager protocol");
    if (statement.targets[number])
        m_in.targets().assign(*statement.targets[number], value.isSet() ? value : Value::none());
    return context;
}

bool Statements::leave(const Value& context, const Value& exception) {
    const Value exit = specialMethod(context, "__exit__");
    if (!exit.isSet()) {
        m_in.metaDevice().leaveDevice(context);
        return false;
    }
    if (!exception.isSet()) return truth(call(exit, {Value::none(), Value::none(), Value::none()}));
    const Handling untilLeft(*stack().frame, exception); // a `raise` in `__exit__` raises it again
    if (!truth(call(exit, {typeOf(exception), exception, Value::none()}))) return false;
    stack().forgetFailure();
    return true;
}

/// The contexts of a `with` from `first` on, then its body.
Flow Statements::runWith(std::size_t head, std::size_t first) {
    trace::checkStack();
    if (first == stack().tree()[head].value->items.size()) return runBody(head);
    const Value context = enter(head, first);
    Frame* const frame = stack().frame;
    Class* const building = stack().building;
    const auto* suppressing = context.as<Instance>(); // counts as a `try`
    const std::size_t tries = frame->tries, catches = frame->catches;
    if (suppressing && suppressing->type->name == "suppress") ++frame->tries, ++frame->catches;
    Flow flow = Flow::Next;
    std::exception_ptr error;
    try {
        flow = runWith(head, first + 1);
    } catch (const Raised&) { error = std::current_exception(); } catch (const PythonError&) {
        error = std::current_exception();
    }
    stack().frame = frame;
    frame->tries = tries;
    frame->catches = catches;
    stack().building = building;
    if (!leave(context, error ? m_in.exceptions().exceptionIn(error) : Value()) && error) std::rethrow_exception(error);
    return error ? Flow::Next : flow;
}

void Statements::raiseStatement(const py::Stmt& statement) {
    Value value = statement.value ? m_in.expressions().evaluateIn(*statement.value) : m_in.exceptions().handled();
    if (!value.isSet()) raise("RuntimeError", "No active exception to reraise");
    if (value.as<Class>()) value = call(value, {});
    requireKnown(value);
    const auto isException = [](const Value& each) {
        return each.as<Instance>() && each.as<Instance>()->type->isException;
    };
    if (!isException(value)) raise("TypeError", "exceptions must derive from BaseException");
    if (auto* raised = value.as<Instance>()) {
        Value cause = statement.annotation ? m_in.expressions().evaluateIn(*statement.annotation) : Value();
        if (cause.as<Class>()) cause = call(cause, {});
        if (cause.isSet() && !cause.isNone() && !isException(cause))
            raise("TypeError", "exception causes must derive from BaseException");
        if (cause.isSet()) raised->attributes.set("__cause__", cause);
    }
    stack().forgetFailure();
    m_in.exceptions().raiseObject(value);
}

} // namespace fx::python

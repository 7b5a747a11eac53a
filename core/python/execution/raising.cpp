// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions and contexts: `try`, `with` and `raise`.
#include "core/python/interpreter.h"

namespace fx::python {
using Kind = py::StmtKind;
using trace::PythonError;

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
    else if (enterDevice(context)) value = context;
    else if (context.as<Instance>() || context.as<Iterator>())
        raise("TypeError", "'" + str(attribute(typeOf(context), "__name__")) +
                               "' object does not support the context manager protocol");
    if (statement.targets[number]) assign(*statement.targets[number], value.isSet() ? value : Value::none());
    return context;
}

/// Leaves a context with an exception or unset; true if it suppresses that.
bool Interpreter::leave(const Value& context, const Value& exception) {
    const Value exit = specialMethod(context, "__exit__");
    if (!exit.isSet()) {
        leaveDevice(context);
        return false;
    }
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

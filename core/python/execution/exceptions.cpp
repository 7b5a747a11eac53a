// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/python_interpreter.h"

namespace fx::python {
using trace::PythonError;

namespace {
constexpr const char* kUnshown = "<exception str() failed>"; ///< as tracebacks of Python have it
}

/// What Python raises as an object, also where the tracer noticed it.
Value Exceptions::exceptionOf(const PythonError& error) {
    if (!error.type().empty()) {
        Class* raised = builtinClass(error.type());
        if (!raised || !raised->isException) raised = builtinClass("RuntimeError"); // what it derives from in PyTorch
        return withContext(instantiate(raised, {text(error.text())}, {}));
    }
    const std::string_view text = error.what();
    const std::size_t colon = text.find(':');
    Class* type = builtinClass(text.substr(0, colon));
    if (!type || !type->isException) type = builtinClass("Exception");
    Values args;
    if (colon != std::string_view::npos)
        args.push_back(this->text(std::string(text.substr(std::min(colon + 2, text.size())))));
    return withContext(instantiate(type, std::move(args), {}));
}

Value Exceptions::withContext(const Value& exception) const {
    setContext(exception);
    return exception;
}

Value Exceptions::exceptionIn(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Raised& raised) { return raised.exception; } catch (const PythonError& raised) {
        return exceptionOf(raised);
    }
}

Value Exceptions::findException(const std::exception_ptr& error) {
    try {
        return exceptionIn(error);
    } catch (...) { return {}; }
}

void Exceptions::raise(std::string_view type, const std::string& message) {
    Values args;
    if (!message.empty()) args.push_back(text(message));
    raiseWith(type, std::move(args));
}

void Exceptions::raiseWith(std::string_view type, Values args) {
    raiseObject(instantiate(builtinClass(type), std::move(args), {}));
}

void Exceptions::raiseObject(const Value& exception) {
    setContext(exception);
    throw Raised{exception};
}

void Exceptions::setContext(const Value& exception) const {
    const Value before = handled();
    if (!before.isSet() || before.sameAs(exception)) return;
    for (auto* each = before.as<Instance>(); each;) { // Python makes no circle of contexts
        trace::charge(1);
        Value* context = each->attributes.find("__context__");
        if (context && context->sameAs(exception)) *context = Value::none();
        each = context ? context->as<Instance>() : nullptr;
    }
    exception.get<Instance>().attributes.set("__context__", before);
}

Value Exceptions::handled() const {
    const Frame* frame = stack().frame;
    while (frame && !frame->handled.isSet()) frame = frame->caller;
    return frame ? frame->handled : Value();
}

std::string Exceptions::describe(const Raised& raised) {
    constexpr std::size_t kMostText = 20'000;
    std::string message;
    try {
        message = str(raised.exception);
    } catch (const Raised&) { message = kUnshown; } catch (const trace::Stop&) {
        message = kUnshown;
    }
    if (message.size() > kMostText) {
        std::size_t end = kMostText;
        while ((message[end] & 0xC0) == 0x80) --end;
        message.replace(end, message.size() - end, "...");
    }
    const auto* instance = raised.exception.as<Instance>();
    const std::string name = instance ? instance->type->name : "Exception";
    return message.empty() ? name : name + ": " + message;
}

} // namespace fx::python

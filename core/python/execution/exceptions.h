// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Raises Python exceptions and turns what was thrown into exception objects.
class Exceptions : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    [[noreturn]] void raise(std::string_view type, const std::string& message);

    /// Raises an exception of a built-in class, with these arguments.
    [[noreturn]] void raiseWith(std::string_view type, Values args);
    /// Raises an exception object: sets its `__context__` to the exception that is being handled.
    [[noreturn]] void raiseObject(const Value& exception);
    /// Sets the `__context__` of an exception that is about to be raised.
    void setContext(const Value& exception) const;

    /// Formats an exception as "Type: message".
    std::string describe(const Raised& raised);
    /// Returns the exception that the running handler, or one of a function that called it, handles; unset if none.
    Value handled() const;
    /// Returns the object of an exception that was caught.
    Value exceptionIn(const std::exception_ptr& error);
    /// Like `exceptionIn`; unset for what is not an exception of Python.
    Value findException(const std::exception_ptr& error);

private:
    Value withContext(const Value& exception) const;
    Value exceptionOf(const trace::PythonError& error);
};

} // namespace fx::python

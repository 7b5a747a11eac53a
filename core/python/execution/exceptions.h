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

    /// Formats an exception as "Type: message".
    std::string describe(const Raised& raised);
    /// Returns the exception that the running handler, or one of a function that called it, handles; unset if none.
    Value handled() const;
    /// Returns the object of an exception that was caught.
    Value exceptionIn(const std::exception_ptr& error);

private:
    Value exceptionOf(const trace::PythonError& error);
};

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Runs `def` statements: decorators, docstrings and qualified names.
class Functions : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Runs a `def` or `class` with its decorators and binds the name.
    void define(std::size_t head);
    /// Returns the docstring of a function, or None.
    Value documentation(const Function& function);
    /// Returns the text that a body begins with, or null.
    static const std::string* docstring(const py::SourceTree& tree, std::size_t head, std::size_t end);
    /// Returns the `__qualname__` of a class or function that is defined here under this name.
    std::string qualified(std::string_view name) const;

private:
    Value defineFunction(std::size_t head);
    Value decorated(const Value& decorator, const Value& made);
    static bool onlyDocuments(const Value& decorator);
};

} // namespace fx::python

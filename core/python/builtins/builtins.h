// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// The names of Python's module `builtins`: types, exceptions and functions.
class Builtins : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Class* builtinClass(std::string_view name);

    /// The built-in names.
    Names& names() { return m_builtins; }
    /// The class `object`.
    Class* object() const { return m_object; }
    /// Passes on printed text that lacks a newline.
    void finishLine();
    /// Adds functions of numbers; calls with proxies and tensors go to the tracer.
    void addBuiltins();
    /// Gives functions and types their `CallShape`.
    void shapeBuiltins();
    /// Adds the built-in types.
    void addTypes();
    /// Adds the built-in exceptions.
    void addExceptions();
    /// Adds functions of objects: attributes, classes, identity.
    void addObjects();
    /// Adds functions of iterables: `range`, `zip`, `sorted`.
    void addIteration();

private:
    void addRecordMethods(Class& record);

    Names m_builtins;
    std::string m_unfinished; ///< printed text without a newline
    Class* m_object = nullptr;
    Class* m_enumClass = nullptr;
};

} // namespace fx::python

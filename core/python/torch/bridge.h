// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

#include <unordered_map>

namespace fx::python {

/// Converts values to and from the tracer, and finds functions, classes and annotations by their torch names.
class Bridge : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value resolve(const std::string& dotted);
    trace::Value toOperand(const Value& value, bool records);
    Value fromTrace(const trace::Value& value);

    /// Makes `resolve` return `value` for this name.
    void keep(const std::string& dotted, const Value& value) { m_kept.insert_or_assign(dotted, value); }
    /// Classes of torch.nn that the program uses, by path.
    const std::unordered_map<std::string, Class*>& torchClasses() const { return m_torchClasses; }
    /// Converts a value for the tracer, as an argument of a recorded call.
    trace::Value toTrace(const Value& value) { return toOperand(value, true); }
    /// Returns a class of torch.nn by any of its paths, or null.
    Class* torchClass(const std::string& path);
    /// Returns a class of the program as the target of a call and as a type.
    static CallablePtr callableOf(const Class& type);
    /// Returns the type to which an annotation evaluates; null for `None` and if it cannot be evaluated.
    TypePtr annotationType(const py::Expr& expr, Scope& scope);
    /// Returns the type that a value denotes as an annotation; null for `None`.
    TypePtr annotationOf(const Value& value);
    /// Returns an annotation that is a string.
    TypePtr textAnnotation(std::string text);

private:
    void addLiteral(std::vector<TypePtr>& to, const py::Expr& expr, Scope& scope);

    std::unordered_map<std::string, Class*> m_torchClasses;
    std::unordered_map<std::string, Value> m_kept;     ///< set by the program
    std::unordered_map<std::string, Value> m_resolved; ///< found in tables
};

} // namespace fx::python

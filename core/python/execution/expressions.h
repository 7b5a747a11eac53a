// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Evaluates expressions in the frame of the running function.
class Expressions : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Evaluates an expression in a scope.
    Value evaluate(const py::Expr& expr, Scope& scope);
    /// Evaluates an expression in the current frame.
    Value evaluateIn(const py::Expr& expr);
    /// Evaluates what a `for` iterates over.
    Value iterated(const py::Expr& expr);
    /// Looks up a name; raises NameError.
    Value name(std::string_view text);
    /// Mangles a name as Python does: `__name` in the body or in a method of `Class` is `_Class__name`.
    std::string written(std::string_view name) const;

private:
    Value constant(const py::Expr& expr);
    void requireUnchanged(const Opaque& unknown, const py::Expr& call);
    Value chained(const py::Expr& expr, Value& last);
    bool isLocal(std::string_view text);
    Value forcedIn(Scope& scope, std::string_view name, Value found);
    Value calleeOf(const py::Expr& called, Values& args);
    Value callExpression(const py::Expr& expr);
    Values unpacked(const Value& value, const std::string& where);
    std::string calledName(const Value& callee);
    void arguments(const py::Expr& call, const Value& callee, Values& args, Keywords& kwargs);
    Values items(const py::Expr& expr);
    Value comprehension(const py::Expr& expr);
    Value dictionary(const py::Expr& expr);
    Value sliceOf(const py::Expr& expr);
    Value joined(const py::Expr& expr);
    Value superValue(const Values& args);

    TextObjects m_interned; ///< texts in sources that look like names
};

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Calls functions, methods and classes: binds arguments and runs bodies. Calls of torch go to the tracer.
class Calls : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value call(const Value& callee, Values args, Keywords kwargs = {});

    /// Records later calls of a function, or of all functions of a file: torch.fx `autowrap_functions` and
    /// `autowrap_modules`. `wrapped` receives the functions that were not recorded before.
    void autowrap(const Value& what, std::vector<Function*>& wrapped);
    /// Runs a function with its parameters, including `*args`, bound to the given values.
    Value callBound(Function& function, const Keywords& bindings);
    /// Evaluates the defaults of parameters; unset for parameters without one.
    Values defaultsOf(std::span<const py::Parameter> parameters, Scope& scope);
    /// Returns an empty scope, reusing those of ended calls.
    Scope* newScope(SourceFile* file, Scope* parent);
    /// Takes back the scope of an ended call for the next one, unless a closure or generator refers to it.
    void release(Scope* scope);
    /// Returns true if arguments hold a proxy, also in lists, tuples, dicts and slices: torch.fx `_find_proxy`.
    static bool holdsAnyProxy(const Values& args, const Keywords& kwargs);
    /// Calls a function of torch through the tracer, which computes or records it.
    Value calledByTracer(const Traced& callee, Values args, Keywords kwargs);
    /// Calls a built-in function of numbers. Throws rather than recording a node for plain values.
    Value callNumbers(const std::string& name, const Values& args, const Keywords& kwargs);

private:
    Value callFunction(Function& function, Values args, Keywords kwargs);
    bool isOfType(const Value& given, char type);
    void checkShape(const Native& native, const Values& args, const Keywords& kwargs);
    Value callNative(const Native& native, Values& args, Keywords& kwargs);
    void bindArguments(Function& function, Values args, Keywords& kwargs, Scope& scope);
    Value runFunction(Function& function, Frame& frame);
    Value callClass(Class& type, Values args, Keywords kwargs);
    Value callTorch(const Traced& callee, Values args, Keywords kwargs);
    Value callOperator(std::string_view name, const Values& args);
    void requireArguments(const Traced& callee, const trace::Values& args, const trace::KeywordValues& kwargs) const;

    std::vector<Scope*> m_freeScopes; ///< scopes of ended calls, for reuse
};

} // namespace fx::python

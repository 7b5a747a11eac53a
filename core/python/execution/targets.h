// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Binds, assigns and deletes: what stands on the left of `=`, behind `del`, `for` and `as`.
class Targets : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Assigns to a target of any form.
    void assign(const py::Expr& target, const Value& value);
    /// Binds a name where Python would: in the local scope, or where `global` and `nonlocal` say.
    void bind(std::string_view name, const Value& value);
    /// Runs `del target`.
    void remove(const py::Expr& target);
    /// Runs an augmented assignment: `target += value`.
    void augment(const py::Stmt& statement);

private:
    bool addsItself(const Value& operand);
    void assignMany(const py::Expr& targets, const Value& value);
};

} // namespace fx::python

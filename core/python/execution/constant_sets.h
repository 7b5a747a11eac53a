// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

#include <unordered_map>

namespace fx::python {

/// The sets of constants in a source, `{3, 1, 2}`, which CPython's compiler makes of each file once: equal ones are the
/// same frozenset, in the order of the first. Only sets of numbers, tuples of them and None have an order to rely on.
class ConstantSets : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Returns true if CPython's compiler makes a constant of all items of a set display.
    static bool isConstant(const py::Expr& display);
    /// Returns the frozenset of a constant display in the current file; null if its order is unknown.
    Set* of(const py::Expr& display);

private:
    using Displays = std::unordered_map<const py::Expr*, Set*>;
    const Displays& displaysOf(const SourceFile& file);
    void collect(const py::Expr* expr, Displays& out, bool isTaken = false);
    Set* made(const py::Expr& display);

    std::unordered_map<const SourceFile*, Displays> m_displays;
    std::vector<Set*> m_known; ///< of the file that is collected
};

} // namespace fx::python

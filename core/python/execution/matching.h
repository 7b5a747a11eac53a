// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Decides which `case` of a `match` statement applies.
class Matching : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Returns the `case` that matches, with its names bound.
    std::optional<std::size_t> matchedCase(std::size_t head);

private:
    void requireOutside(const Value& value, std::string_view kind);
    bool matches(const py::Expr& pattern, const Value& value);
    bool matchesSequence(const py::Expr& pattern, const Value& value);
    bool matchesMapping(const py::Expr& pattern, const Value& value);
    bool matchesClass(const py::Expr& pattern, const Value& value);
};

} // namespace fx::python

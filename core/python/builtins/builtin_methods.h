// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// The methods of built-in types: str, list, dict, set, iterators.
class BuiltinMethods : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    Set* setOf(const Value& iterable); ///< `set(iterable)`; a set is returned unchanged
    /// Adds the items of an iterable to a set.
    void addTo(Set& set, const Value& iterable);
    /// Returns what Python looks for in a set: a frozenset in the place of a set, other values unchanged.
    Value asMember(const Value& value);
    Values viewed(const DictView& view); ///< the current items of the view
    /// Returns a bound method of a built-in type; unset if it has none of this name.
    Value builtinMethod(const Value& object, std::string_view name);
    /// Returns a bound method of a dict; unset if dicts have none of this name.
    Value dictMethod(Dict& self, std::string_view name);

private:
    Value unshapedMethod(const Value& object, std::string_view name);
    Value textMethod(Str& self, std::string_view name);
    Value listMethod(List& self, std::string_view name);
    Value setMethod(Set& self, std::string_view name);
    Value iteratorMethod(Iterator& self, std::string_view name);
};

} // namespace fx::python

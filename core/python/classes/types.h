// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// `type`, `isinstance` and `issubclass`.
class Types : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value typeOf(const Value& value);
    bool isInstance(const Value& value, const Value& type);
    bool isSubclass(Class* type, const Value& of);

    /// Returns the class that a class derived from this name of typing has as a base; unset for `typing.Generic` and
    /// such. Raises TypeError for what has no subclasses.
    Value baseOfTyping(const std::string& path);
    /// Returns the class for which a name of typing stands, `list` for "typing.List"; unset for `typing.Union` and
    /// such.
    Value findTyping(std::string_view path);
    /// Calls a name of typing: `typing.Deque()` makes a deque, others raise TypeError or give unknown objects.
    Value callTyping(const std::string& path, Values args, Keywords kwargs);
    /// Returns Python's name of the view's type: "dict_keys".
    static std::string viewName(const DictView& view);
    /// Throws CannotFollow for an object that is a class to Python because it has `__bases__`.
    void requireNoBases(const Value& value, const char* function);

private:
    Value classOfTyping(const std::string& path, std::string_view asking);
    void requireChecked(const Class& protocol);
    bool isOfProtocol(const Value& value, Class& protocol);
    bool fulfils(Class& type, Class& protocol);
};

} // namespace fx::python

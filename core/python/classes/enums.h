// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Members of Enum and Flag classes.
class Enums : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Turns the members of an Enum class into objects.
    void finishEnum(Class& type);
    /// `EnumClass(value)`; null if no member has this value.
    Instance* memberOf(Class& type, const Value& value);
    /// Returns the member of a Flag with several bits or none, which has no separate name in the class.
    Instance* joinedFlag(Class& type, std::int64_t bits);
    /// `Enum('Colour', 'RED GREEN')`: names in a text, a list, pairs or a dict.
    Class* enumOf(Class& base, const std::string& name, const Value& given);

private:
    Value automaticValue(Class& type, const std::string& name, const Values& before);
    Instance* enumMember(Class& type, const Value& name, const Value& value);
};

} // namespace fx::python

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
    /// Calls an Enum class: `Colour(1)` is a member, `Enum('Colour', 'RED GREEN')` a class.
    Value called(Class& type, const Values& args, Keywords& kwargs);
    /// Returns the member of a Flag with several bits or none, which has no separate name in the class. Unless it has
    /// unknown bits, it stays the member of that value.
    Instance* joinedFlag(Class& type, const Value& bits, const Value& name, bool isKept);
    /// Returns the number that `auto()` stands for after other values. Throws CannotFollow unless the last is the
    /// highest.
    Value nextValue(const Values& before, std::int64_t start);

private:
    Instance* memberOf(Class& type, const Value& value);
    Class* enumOf(Class& base, const std::string& name, const Value& given, Keywords& options);
    Value automaticValue(Class& type, const std::string& name, const Values& before, std::int64_t start);
    static std::int64_t nextBit(const Values& before, std::int64_t start);
    bool namesMember(const Class& type, const std::string& name);
    Values listedNames(const Value& given);
    void dropIgnored(Class& type);
    void checkOrder(Class& type);
    void requireHeld(const Class& type);
    Value convertedValue(Class& type, const Value& value);
    Instance* enumMember(Class& type, const Value& name, const Value& value);
};

} // namespace fx::python

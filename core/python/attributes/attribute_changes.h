// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Sets and deletes attributes.
class AttributeChanges : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    void setAttribute(const Value& object, std::string_view name, const Value& value);

    /// `del object.name`.
    void removeAttribute(const Value& object, const std::string& name);
    /// `object.__delattr__`.
    void eraseAttribute(const Value& object, const std::string& name);
    /// Returns the names in `__slots__` of a class and its bases; null where instances have a `__dict__`.
    const std::vector<std::string>* slotsOf(Class& type);

private:
    void requireCause(std::string_view name, const Value& value);
    void setFunction(Function& function, std::string_view name, const Value& value);
    void setName(const std::string& path, const Value& value);
    void requireOwnText(const std::string& name) const;
    void setClass(Instance& instance, const Value& value);
    void setDict(Instance& instance, const Value& value);
};

} // namespace fx::python

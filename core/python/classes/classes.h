// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::ops {
class NnModule;
}

namespace fx::python {

/// Runs `class` statements: bases, metaclasses, abstract methods and classes of torch.nn.
class Classes : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Runs the body of a `class` and returns the class.
    Value defineClass(std::size_t head);
    /// Sets `__constants__` of a class of torch.nn that has any.
    void setConstants(Class& type, const ops::NnModule& known);
    /// Adds the `__init__` of a class of torch.nn that Lancet constructs.
    void addConstructor(Class& type);
    /// Looks up a method of `type` for `super()` in a metaclass; unset for other names.
    Value superOfClass(Class& type, std::string_view name);
    /// Copies to a class what it inherits from its bases.
    void inherit(Class& type);
    /// Orders a class and its bases by C3.
    void orderBases(Class& type);

    /// Sets the metaclass of a class, and the abstract methods that it leaves open.
    void findAbstract(Class& type, const Keywords& keywords);
    /// Calls `__set_name__` of members, `__init_subclass__` of a base, and the metaclass if it is set.
    void subclassed(Class& type, Keywords keywords);

private:
    void nameMember(Class& type, const std::string& name, const Value& member, const Value& hook);
    Opaque* unknownBase(const Value& base);
    Value baseClass(const Value& value);
    void checkLayout(const Class& type);
    void finishByMetaclass(Class& type, const Keywords& keywords);

    Class* m_finishing = nullptr; ///< the class that `type.__new__` passes to the calling metaclass
};

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Looks up attributes of all objects in the order that Python does.
class Attributes : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value attribute(const Value& object, std::string_view name);
    Value findAttribute(const Value& object, std::string_view name);
    Value softAttribute(const Value& object, std::string_view name);
    Value bound(const Value& member, const Value& self, Class* type);

    /// Returns true if Lancet knows all public names of this namespace, so that `hasattr` is reliable.
    static bool namesAreKnown(const Space& space);
    /// Looks up an attribute of an instance without `__getattribute__`. `asksGetattr` is false for
    /// `object.__getattribute__`, which does not call `__getattr__`.
    Value instanceAttribute(Instance& instance, std::string_view name, const Value& self, bool asksGetattr = true);
    /// Looks up a name that `from typing import *` and the like brought in; unset if none of these modules has it.
    Value starName(const SourceFile& file, std::string_view name);
    /// `__init__` of dict, list and set for an instance of a class derived from one; the rest keeps what `__new__` gave
    /// it.
    void fillPayload(Instance& instance, const Values& args, const Keywords& kwargs);
    /// Throws CannotFollow for an attribute that a type of Python or of torch.nn has, and Lancet lacks.
    void requireMissing(const Value& type, std::string_view name) const;

    /// Looks up a special method that the class of a proxy has, as `x.__radd__`; unset for other names.
    Value proxyMember(const Value& object, std::string_view name);

private:
    Value proxyOperator(const Value& object, std::string_view name);
    Value tracedAttribute(const Traced& traced, const Value& object, std::string_view name);
    Value tensorAttribute(const TensorRef& tensor, const Value& object, std::string_view name);
    Value attributeByGetattr(Instance& instance, std::string_view name, const Value& self);
    Value hookedAttribute(Instance& instance, std::string_view name, const Value& object);
    Value fileAttribute(SourceFile& file, std::string_view name);
    Value functionAttribute(Function& function, std::string_view name);
    Value propertyAttribute(const Property& property, std::string_view name);
    Value operatorAttribute(const Callable& callable, std::string_view name);
    Value classAttribute(Class& type, std::string_view name);
    Value superAttribute(Super& super, std::string_view name);
    Value spaceAttribute(Space& space, std::string_view name);
    Value builtinAttribute(const Value& object, std::string_view name);
    Value libraryMethod(const Value& object, std::string_view name);
    Value unboundMethod(const Class& type, std::string_view name);
    Value objectMember(const Value& self, Class& type, std::string_view name);
};

} // namespace fx::python

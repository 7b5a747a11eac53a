// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Creates objects: `__new__`, `__init__`, named tuples and modules.
class Instances : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value instantiate(Class* type, Values args, Keywords kwargs);
    Value specialMethod(const Value& object, std::string_view name);

    /// Creates an instance without running `__init__`, like `object.__new__`.
    Instance* bare(Class& type);
    /// Stores the class in its module.
    static void nameClass(Module& module, const Class& type);
    /// Creates an instance of a NamedTuple class.
    Value makeNamedTuple(Class& type, Values args, Keywords kwargs);
    /// `__new__` of `object` and of built-in types, called with the class and what the type takes.
    Value newObject(const Values& args, const Keywords& kwargs);
    /// Adds properties for the fields of a NamedTuple class.
    void nameFields(Class& type);
    /// The built-in types that a class derives from and whose value its instances hold.
    const std::vector<Class*>& heldBy(Class& type);

private:
    void requireNoTensor(const Class& type);
    Value namedTupleClass(const Values& args, const Keywords& kwargs);
    void initialise(Instance& self, Class& type, Values args, Keywords kwargs);
};

} // namespace fx::python

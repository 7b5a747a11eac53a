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

    /// Returns Python's name of the view's type: "dict_keys".
    static std::string viewName(const DictView& view);
};

} // namespace fx::python

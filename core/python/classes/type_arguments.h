// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Types with arguments, `list[int]`, and unions, `int | None`: Opaques with a `type` and its `parts`.
class TypeArguments : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Returns true if `object[...]` is a type with arguments.
    bool takes(const Value& object) const;
    /// Returns the type that `expr`, a subscript of the type `origin`, denotes with these arguments.
    Value made(const py::Expr& expr, const Value& origin, Values args);
    /// Returns `left | right` of two types; unset for other values.
    Value unionOf(const Value& left, const Value& right);
    /// Returns the types of a union; null for other values.
    static const Values* typesOf(const Value& value);

    /// Returns the name of typing that a value is, "Optional"; empty for other values.
    static std::string_view typingName(const Value& value);
    /// Returns true for a type with arguments and for a union.
    static bool isAlias(const Value& value);
    /// Returns the class of a type with arguments or of a union: `types.UnionType`.
    Value classOf(const Value& alias);
    /// Returns a member of a type with arguments or of a union; unset if it has none.
    Value attributeOf(const Value& alias, std::string_view name);
    /// `typing.get_origin`.
    Value originOf(const Value& value);
    /// `typing.get_args`.
    Value argumentsOf(const Value& value);

private:
    Value converted(const Value& argument);
    void addLiteral(Values& to, const Value& value);
    void addTypes(Values& to, const Value& type);
};

} // namespace fx::python

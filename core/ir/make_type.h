// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/type_expr.h"

#include <utility>

namespace fx {

/// Creates a type expression.
inline TypePtr makeType(TypeExpr::Kind kind, std::string module, std::string name, std::vector<TypePtr> args = {},
                        bool fromTorch = false) {
    return std::make_shared<TypeExpr>(TypeExpr{kind, std::move(module), std::move(name), std::move(args), fromTorch});
}

/// Returns an argument of an alias of `typing` as the alias stores it: text becomes `ForwardRef('text')`, other types
/// are unchanged.
inline TypePtr forwardReference(TypePtr type) {
    const bool isText = type->name.starts_with('\'') || type->name.starts_with('"');
    if (type->kind != TypeExpr::Kind::Text || !isText) return type;
    auto reference = std::make_shared<TypeExpr>(*type);
    reference->name = "ForwardRef(" + type->name + ")";
    return reference;
}

} // namespace fx

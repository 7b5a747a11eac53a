// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/syntax.h"

#include <string>
#include <string_view>

namespace fx::py {

/// Returns the expression as `ast.unparse` prints it, which is also how `from __future__ import annotations` stores
/// annotations. Lambdas, comprehensions and f-strings are copied from `source`, the text of the tree.
std::string unparsed(const Expr& expr, std::string_view source);

} // namespace fx::py

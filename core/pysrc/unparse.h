// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/syntax.h"

#include <string>
#include <string_view>

namespace fx::py {

/// The expression as Python writes it back: what `from __future__ import annotations` keeps of an annotation, and
/// `ast.unparse`. Lambdas, comprehensions and f-strings stand as in `source`, the text that the tree points into.
std::string unparsed(const Expr& expr, std::string_view source);

} // namespace fx::py

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Prints an expression that a .pt2 file spells as constructor calls (`sympy.srepr`), like sympy:
/// `Mul(Integer(2), Symbol('s77', positive=True, integer=True))` gives `2*s77`.
///
/// Sums, products, powers, comparisons, booleans and the functions of torch.utils._sympy print as in Python. Text that
/// cannot be parsed, or nests deeper than 200 levels, is returned unchanged.
std::string sympyText(std::string_view constructors);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace fx {

/// Returns the FLOPs of the matrix products of torch.einsum, which combines its operands pairwise from the left. A pair
/// with summed labels counts 2 × the product of all its labels; a pair that is only multiplied counts 0. Returns 0 if
/// the equation does not match the operands.
double einsumFlops(std::string_view equation, const std::vector<std::vector<std::int64_t>>& operands);

} // namespace fx

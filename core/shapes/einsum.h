// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace fx {

/// FLOPs of the matrix products of torch.einsum, which combines its operands pairwise from the left: 2 × all labels of
/// a pair that sums over some labels, and 0 for a pair that is only multiplied. 0 for an equation that does not match
/// the operands.
double einsumFlops(std::string_view equation, const std::vector<std::vector<std::int64_t>>& operands);

} // namespace fx

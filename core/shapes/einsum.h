// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace fx {

/// Flops of the matrix products of torch.einsum, which takes its operands two by two from the left: 2 × all labels of a
/// pair when it sums over some, nothing for a pair that is only multiplied. 0 for an equation that does not fit the
/// operands.
double einsumFlops(std::string_view equation, const std::vector<std::vector<std::int64_t>>& operands);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace fx {

/// Returns the strides of a row-major tensor in elements. Sizes that no storage can hold wrap around;
/// `TensorRef::geometryProblem` reports them.
std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& sizes);

} // namespace fx

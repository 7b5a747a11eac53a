// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace fx {

/// Strides of a row-major tensor, in elements. Wraps around on sizes so large that no storage fits them, which
/// `TensorRef::geometryProblem` reports.
std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& sizes);

} // namespace fx

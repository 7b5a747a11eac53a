// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <random>

namespace fx {

/// PyTorch's generator for the CPU: the same numbers as after `torch.manual_seed(seed)`.
class TorchGenerator {
public:
    explicit TorchGenerator(std::uint64_t seed) : m_engine(static_cast<std::uint32_t>(seed)) {}

    /// `tensor.uniform_(from, to)` on a new float32 parameter.
    TensorPtr uniform(const std::vector<std::int64_t>& sizes, double from, double to);
    /// `tensor.normal_(mean, deviation)` on a new float32 parameter.
    TensorPtr normal(const std::vector<std::int64_t>& sizes, double mean, double deviation);

private:
    float nextUniform();
    double nextNormal();

    std::mt19937 m_engine;
    std::optional<double> m_spareNormal; ///< the unused number of a pair
};

/// A new contiguous float32 tensor filled with `value`; or int64 zero without dimensions.
TensorPtr filledTensor(const std::vector<std::int64_t>& sizes, float value, bool isParameter);
TensorPtr zeroCounter();
/// A contiguous float32 matrix with one row set to zero.
TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <random>

namespace fx {

/// Whether new weights get values, or types and shapes alone: enough to see whether an edit is possible and what it
/// costs, and free for any size.
enum class NewWeights : std::uint8_t { Drawn, ShapesOnly };

/// PyTorch's generator for the CPU: the same numbers as after `torch.manual_seed(seed)`.
///
/// All that makes tensors throws Error{Refused} when they need more memory than is free (drawn ones only), or than
/// 64 bits can count, and Error{Cancelled} when `progress` asks to stop.
class TorchGenerator {
public:
    explicit TorchGenerator(std::uint64_t seed, NewWeights weights = NewWeights::Drawn, Progress progress = {})
        : m_engine(static_cast<std::uint32_t>(seed)), m_weights(weights), m_progress(std::move(progress)) {}

    /// `tensor.uniform_(from, to)` on a new float32 parameter.
    TensorPtr uniform(const std::vector<std::int64_t>& sizes, double from, double to);
    /// `tensor.normal_(mean, deviation)` on a new float32 parameter.
    TensorPtr normal(const std::vector<std::int64_t>& sizes, double mean, double deviation);
    /// A new contiguous float32 tensor filled with `value`.
    TensorPtr filled(const std::vector<std::int64_t>& sizes, float value, bool isParameter);

private:
    struct Fresh;
    Fresh fresh(const std::vector<std::int64_t>& sizes, bool isParameter);
    void check(std::size_t drawn, std::size_t all) const;
    float nextUniform();
    double nextNormal();

    std::mt19937 m_engine;
    std::optional<double> m_spareNormal; ///< of a pair, the one not used yet
    NewWeights m_weights;
    Progress m_progress;
};

/// Whether this is a weight that was made with NewWeights::ShapesOnly.
bool isShapeOnly(const TensorRef& tensor);

/// An int64 zero without dimensions.
TensorPtr zeroCounter();
/// A contiguous float32 matrix with one row set to zero.
TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row);

} // namespace fx

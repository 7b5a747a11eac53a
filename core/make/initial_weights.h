// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <functional>
#include <optional>
#include <random>
#include <span>
#include <utility>

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

    /// A type of tensors in floating point that is drawn: float32, float64, float16 or bfloat16.
    static bool draws(DType dtype);
    /// New tensors have this type, which `draws`; float32 at first. Returns the type before.
    DType setDType(DType dtype) { return std::exchange(m_dtype, dtype); }
    /// Where the numbers go on: `torch.get_rng_state`, and `torch.manual_seed(seed)`.
    struct State {
        std::mt19937 engine;
        std::optional<double> spareNormal;
    };
    State state() const { return {m_engine, m_spareNormal}; }
    void setState(const State& state) { m_engine = state.engine, m_spareNormal = state.spareNormal; }
    /// The state as the tensor of bytes that `torch.get_rng_state()` gives, and back.
    TensorPtr stateTensor() const;
    void setState(const TensorRef& tensor);
    void seed(std::uint64_t seed) { setState({std::mt19937(static_cast<std::uint32_t>(seed)), std::nullopt}); }

    /// `torch.randint(from, to, sizes)`, row by row; null when only shapes are wanted.
    std::optional<std::vector<double>> integers(std::size_t count, std::int64_t from, std::int64_t to);
    /// `torch.randperm(count)`, likewise.
    std::optional<std::vector<double>> permutation(std::size_t count);
    /// A tensor like this one whose values are not drawn yet.
    static TensorPtr undrawn(const TensorRef& shape);

    /// `tensor.uniform_(from, to)` on a new parameter.
    TensorPtr uniform(const std::vector<std::int64_t>& sizes, double from, double to);
    /// `tensor.normal_(mean, deviation)` on a new parameter.
    TensorPtr normal(const std::vector<std::int64_t>& sizes, double mean, double deviation);
    /// A new contiguous tensor filled with `value`.
    TensorPtr filled(const std::vector<std::int64_t>& sizes, double value, bool isParameter);

private:
    struct Fresh;
    Fresh fresh(const std::vector<std::int64_t>& sizes, bool isParameter);
    void check(std::size_t drawn, std::size_t all) const;
    float nextUniform();
    double nextUniform53();
    double nextNormal();
    static void makeNormal16(std::span<double, 16> numbers, double mean, double deviation);
    bool isNarrow() const { return m_dtype == DType::Float16 || m_dtype == DType::BFloat16; }
    TensorPtr narrowed(const std::function<TensorPtr()>& draw);
    std::vector<double> normalNumbers(std::size_t count, double mean, double deviation);

    std::mt19937 m_engine;
    std::optional<double> m_spareNormal; ///< of a pair, the one not used yet
    NewWeights m_weights;
    Progress m_progress;
    DType m_dtype = DType::Float32;
};

/// New tensors have another type while this lives.
class DrawnType {
public:
    DrawnType(TorchGenerator& random, DType dtype) : m_random(random), m_before(random.setDType(dtype)) {}
    ~DrawnType() { m_random.setDType(m_before); }
    DrawnType(const DrawnType&) = delete;
    DrawnType& operator=(const DrawnType&) = delete;

private:
    TorchGenerator& m_random;
    DType m_before;
};

/// Whether this is a weight that was made with NewWeights::ShapesOnly.
bool isShapeOnly(const TensorRef& tensor);

/// An int64 zero without dimensions.
TensorPtr zeroCounter();
/// A contiguous matrix with one row set to zero.
TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row);

} // namespace fx

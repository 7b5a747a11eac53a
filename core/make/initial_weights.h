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

/// Selects if new weights get values or only types and shapes. Shapes suffice to check an edit and to compute its cost,
/// and take no memory at any size.
enum class NewWeights : std::uint8_t { Drawn, ShapesOnly };

/// PyTorch's random generator for the CPU, with the same numbers as after `torch.manual_seed(seed)`.
///
/// Functions that create tensors throw Error{Refused} if these need more memory than is free (drawn values only) or
/// than 64 bits can count, and Error{Cancelled} when `progress` requests a stop.
class TorchGenerator {
public:
    explicit TorchGenerator(std::uint64_t seed, NewWeights weights = NewWeights::Drawn, Progress progress = {})
        : m_engine(static_cast<std::uint32_t>(seed)), m_weights(weights), m_progress(std::move(progress)) {}

    /// Charges drawing to the program that this thread traces (trace::charge), which bounds it.
    void chargeDrawing() { m_charges = true; }
    /// Returns true for the floating-point types that can be drawn: float32, float64, float16 and bfloat16.
    static bool draws(DType dtype);
    /// Returns false if only shapes are wanted.
    bool drawsValues() const { return m_weights == NewWeights::Drawn; }
    /// Sets the type of new tensors, for which `draws` must be true; initially float32. Returns the previous type.
    DType setDType(DType dtype) { return std::exchange(m_dtype, dtype); }
    /// The position in the sequence of numbers, as for `torch.get_rng_state`.
    struct State {
        std::mt19937 engine;
        std::optional<double> spareNormal; ///< the unused normal number of a pair
    };
    /// The current state.
    State state() const { return {m_engine, m_spareNormal}; }
    /// Restores a state.
    void setState(const State& state) { m_engine = state.engine, m_spareNormal = state.spareNormal; }
    /// Returns the state as the byte tensor that `torch.get_rng_state()` returns.
    TensorPtr stateTensor() const;
    /// Restores a state from such a tensor.
    void setState(const TensorRef& tensor);
    /// Restarts the sequence: `torch.manual_seed(seed)`.
    void seed(std::uint64_t seed) { setState({std::mt19937(static_cast<std::uint32_t>(seed)), std::nullopt}); }

    /// Draws `torch.randint(from, to, sizes)` in row-major order; nullopt if only shapes are wanted.
    std::optional<std::vector<double>> integers(std::size_t count, std::int64_t from, std::int64_t to);
    /// Draws `torch.randperm(count)`; nullopt if only shapes are wanted.
    std::optional<std::vector<double>> permutation(std::size_t count);
    /// Returns a tensor like `shape` whose values are not drawn.
    static TensorPtr undrawn(const TensorRef& shape);

    /// Draws `tensor.uniform_(from, to)` for a new parameter.
    TensorPtr uniform(const std::vector<std::int64_t>& sizes, double from, double to);
    /// Draws `tensor.normal_(mean, deviation)` for a new parameter.
    TensorPtr normal(const std::vector<std::int64_t>& sizes, double mean, double deviation);
    /// Returns a new contiguous tensor filled with `value`.
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
    std::optional<double> m_spareNormal; ///< the unused number of a pair
    NewWeights m_weights;
    Progress m_progress;
    DType m_dtype = DType::Float32;
    bool m_charges = false;
};

/// Sets the type of new tensors during its lifetime.
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

/// Returns the bytes of all weights that this process has drawn. Thread-safe and async-signal-safe.
std::uint64_t drawnBytes();
/// Returns true for a weight created with NewWeights::ShapesOnly.
bool isShapeOnly(const TensorRef& tensor);

/// Returns an int64 zero without dimensions.
TensorPtr zeroCounter();
/// Returns a copy of a contiguous matrix with one row set to zero.
TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row);

} // namespace fx

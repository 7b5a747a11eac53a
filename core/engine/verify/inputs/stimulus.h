// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

#include <random>

namespace fx::engine {

/// The random generator of all trials.
using Random = std::mt19937_64;

/// True for a dense tensor of real or complex floats.
bool isFloatTensor(const at::Tensor& tensor);
/// Returns a copy of a value with its tensors replaced, in the order of `pairLeaves`.
Value mapTensors(const Value& value, const std::function<at::Tensor(const at::Tensor&)>& map);
/// Replaces the tensors of `value`; `map` also receives the corresponding tensor of `other`, or the tensor itself if
/// `other` has fewer.
Value mapPairs(const Value& value, const Value& other,
               const std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>& map);
/// Returns all inputs, the positional ones first.
Values valuesOf(const RunInputs& inputs);
/// Replaces the tensors of all inputs.
RunInputs mapInputs(const RunInputs& inputs, const std::function<at::Tensor(const at::Tensor&)>& map);
/// Returns a copy of a tensor of real numbers after `change` has modified its elements, which it receives as doubles.
at::Tensor withElements(const at::Tensor& tensor, const std::function<void(double* data, std::int64_t count)>& change);
/// Returns a tensor with the type and sizes of `like`. `number` returns the integer at each flat index.
at::Tensor wholeNumbers(const at::Tensor& like, const std::function<std::int64_t(std::int64_t place)>& number);
/// Returns about `most` elements of a tensor, evenly spread. Complex numbers count as their two parts.
std::vector<double> elementsOf(const at::Tensor& tensor, std::int64_t most = 4096);
/// Returns a tensor of elements drawn from `elements`, or from a normal distribution if these are all the same. The
/// elements repeat after 8,191.
at::Tensor drawnLike(const std::vector<double>& elements, const std::vector<std::int64_t>& sizes, at::ScalarType type,
                     Random& random);

/// Some elements of each leaf of a value, to detect cheaply whether the value changes. The indices depend on the sizes
/// only.
using Samples = std::vector<std::vector<double>>;
/// Returns the samples of a value.
Samples samplesOf(const Value& value);
/// The largest difference, and the largest magnitude, of two samples.
struct Movement {
    double by = 0, scale = 0;
};
/// Compares two samples and ignores elements that are not finite. The difference is infinite if their sizes differ.
Movement movementOf(const std::vector<double>& before, const std::vector<double>& after);

/// The pattern of a value: structure, types, sizes and the distribution of its elements. Draws other values of this
/// pattern.
class Pattern {
public:
    /// Copies what it needs of the value.
    explicit Pattern(const Value& value);
    /// Returns another value of the pattern. Draws floats from the elements of the value, so that they stay in its
    /// range (the result of a softmax or a relu). If the value is constant, draws from a normal distribution, and no
    /// negative numbers unless the constant is negative. Shuffles integers; all else stays the same.
    Value draw(Random& random) const;

private:
    struct Leaf {
        std::vector<std::int64_t> sizes;
        at::ScalarType type;
        std::vector<double> elements;
    };
    Value m_skeleton; ///< the value with empty tensors instead of floats
    std::vector<Leaf> m_leaves;
};

/// Returns inputs with floats and integers in another order; floats that are all the same are drawn from a normal
/// distribution instead. The same tensor and seed give the same result, so that two models get the same inputs.
RunInputs otherInputs(const RunInputs& inputs, std::uint64_t seed);
/// Returns the same with newly drawn floats of `scale` times the magnitude. A result that stays the same for them does
/// not depend on the floats.
RunInputs newInputs(const RunInputs& inputs, std::uint64_t seed, double scale = 1);
/// Returns a copy with separate tensors.
RunInputs copyOf(const RunInputs& inputs);
/// Returns a copy with dense tensors instead of those in MKL-DNN layout.
Value denseCopyOf(const Value& value);

/// Redraws the floats of `value` that equal those of `other`, the same value for other inputs. Data that never change
/// are no evidence.
Value thawed(const Value& value, const Value& other, Random& random);

} // namespace fx::engine

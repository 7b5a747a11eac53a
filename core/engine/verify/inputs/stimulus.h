// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

#include <random>

namespace fx::engine {

using Random = std::mt19937_64;

/// A dense tensor of real or complex floats.
bool isFloatTensor(const at::Tensor& tensor);
/// A copy of a value with its tensors replaced, in the order of pairLeaves.
Value mapTensors(const Value& value, const std::function<at::Tensor(const at::Tensor&)>& map);
/// The same for pairs of tensors of two values; where the other has none, with the tensor itself.
Value mapPairs(const Value& value, const Value& other,
               const std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>& map);
RunInputs mapInputs(const RunInputs& inputs, const std::function<at::Tensor(const at::Tensor&)>& map);
/// The elements of a tensor, `most` of them, evenly spread. Those of complex numbers are their parts.
std::vector<double> elementsOf(const at::Tensor& tensor, std::int64_t most = 4096);
/// A tensor of elements that are drawn from others, from a normal distribution where those are all the same; they
/// repeat after some thousands. `outliers`: as in Pattern::draw.
at::Tensor drawnLike(const std::vector<double>& elements, const std::vector<std::int64_t>& sizes, at::ScalarType type,
                     Random& random, double outliers);

/// Some elements of each tensor of a value, at places that depend on the sizes alone: what tells cheaply whether a
/// value changed.
using Samples = std::vector<std::vector<double>>;
Samples samplesOf(const Value& value);
/// The largest difference and the largest magnitude of two samples; infinite difference when they do not fit.
struct Movement {
    double by = 0, scale = 0;
};
Movement movementOf(const std::vector<double>& before, const std::vector<double>& after);

/// The kind of a value: structure, types, sizes and how its elements are distributed. Draws others of that kind.
class Pattern {
public:
    explicit Pattern(const Value& value);
    /// Floats are drawn from the elements of the value, so that they stay in its range (what a softmax or a relu
    /// gives); from a normal distribution when the value is constant, and not below zero when it is not. `outliers`:
    /// the part of them that is 100 times as large, of either sign. All else stays as it is.
    Value draw(Random& random, double outliers) const;

private:
    struct Leaf {
        std::vector<std::int64_t> sizes;
        at::ScalarType type;
        std::vector<double> elements;
    };
    Value m_skeleton; ///< with empty tensors in place of floats
    std::vector<Leaf> m_leaves;
};

/// Inputs of the same kind as others: floats in another order and times `scale`, drawn anew where they are all the
/// same; integers in another order. The same tensor and seed give the same, so that two models get the same inputs.
RunInputs otherInputs(const RunInputs& inputs, double scale, std::uint64_t seed);
/// The same with floats that are drawn anew: what stays the same for these does not depend on them.
RunInputs newInputs(const RunInputs& inputs, double scale, std::uint64_t seed);
/// The inputs with all floats times `scale`.
RunInputs scaled(const RunInputs& inputs, double scale);
RunInputs copyOf(const RunInputs& inputs);
/// A copy in which values in MKL-DNN layout are dense.
Value denseCopyOf(const Value& value);
/// The inputs with float32 as float64.
RunInputs inDouble(const RunInputs& inputs);

/// The value with these numbers, over and over, in its tensors of integers.
Value withIntegers(const Value& value, const std::vector<std::int64_t>& numbers);

/// `value` with new elements, drawn from the others, where `other`, the same value for other inputs, has the same
/// float: data that never change show nothing.
Value thawed(const Value& value, const Value& other, Random& random);

} // namespace fx::engine

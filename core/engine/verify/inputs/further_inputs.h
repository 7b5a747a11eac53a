// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/stimulus.h"

#include <set>
#include <string>

namespace fx::engine {

/// Inputs that a model might get instead of the ones that it was given.
struct FurtherInputs {
    RunInputs inputs;
    std::string what;         ///< "a batch of 3", or the largest input: "random inputs ×10"
    double scale = 1;         ///< of the floats, against the given ones
    bool otherSizes = false;  ///< shapes, or the lengths of lists, are others
    bool otherValues = false; ///< integers beyond those that were given, which are not wrong if a model refuses them
    bool repeats = false;     ///< floats are a few numbers, again and again
};

/// What a model uses for inputs that it is not given: literals, by the name of the input.
using DefaultInputs = std::vector<std::pair<std::string, Value>>;
/// Those of A that one of the models uses.
DefaultInputs defaultsOf(const GraphModule& a, const GraphModule& b, const RunInputs& givenToA);

/// Draws further inputs, the same for the same seed:
///
///     floats     normal, of the scale of the given ones and of others from 0.01 to 1,000; the given ones in another
///                order; a few numbers that repeat
///     integers   those in the range of the given ones, small ones with and without 0 and negative ones, all of a byte
///     booleans   all true, all false, at random, and with rows of one kind
///     numbers, texts, None    others of the kind: one more, negative, a longer text, a tensor
///     defaults   of one of the inputs that are not given, in some of them
class InputSource {
public:
    InputSource(const RunInputs& given, DefaultInputs defaults, std::uint64_t seed);

    /// The `index`th of other values in the same shapes.
    FurtherInputs values(std::size_t index);
    /// Batches of other sizes, and lists of other lengths. `fixed`: sizes that stay.
    std::vector<FurtherInputs> sizes(const std::set<std::int64_t>& fixed);
    /// One other size than the batch at a time: one more. `fixed`: sizes that stay.
    std::vector<FurtherInputs> extents(const std::set<std::int64_t>& fixed);
    /// A range of integers was refused: `values` draws no more of it.
    void refused(const FurtherInputs& inputs);

private:
    /// A kind of integers.
    enum class Whole : std::uint8_t { Given, Small, NotZero, Wider, kCount };
    Value other(const Value& value, std::size_t index, Whole whole, double scale);
    at::Tensor otherTensor(const at::Tensor& tensor, std::size_t index, Whole whole, double scale);
    at::Tensor integers(const at::Tensor& tensor, Whole whole);
    at::Tensor floats(const at::Tensor& tensor, std::size_t index, double scale);
    at::Tensor flags(const at::Tensor& tensor, std::size_t index);
    Value ofBatch(const Value& value, std::int64_t from, std::int64_t to);
    void varyDefault(std::size_t index, FurtherInputs& out) const;

    RunInputs m_given;
    DefaultInputs m_defaults; ///< that are not None
    Random m_random;
    Value m_tensor; ///< the first of floats; None without one
    bool m_hasIntegers = false, m_hasFloats = false;
    std::vector<Whole> m_wholes = {Whole::Given, Whole::Small, Whole::NotZero, Whole::Wider};
    Whole m_last = Whole::Given;
};

} // namespace fx::engine

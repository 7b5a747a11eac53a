// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/varied_sizes.h"

#include <string>

namespace fx::engine {

/// Inputs that a model might receive instead of the given ones.
struct FurtherInputs {
    RunInputs inputs;         ///< of A
    std::string what;         ///< description: "a batch of 3", "random inputs ×10"
    double scale = 1;         ///< scale of the floats relative to the given ones
    bool otherSizes = false;  ///< shapes, or lengths of lists, differ from the given ones
    bool otherValues = false; ///< integers may exceed the given range; a model may rightly refuse them
    bool mayRefuse = false;   ///< a refusal by B is no evidence: B may be made for the given sizes
    bool isNamed = false;     ///< the integers are such that A names: B may not refuse them
    bool repeats = false;     ///< the floats are a few numbers that repeat
};

/// Default values of inputs that are not given, by the name of the input.
using DefaultInputs = std::vector<std::pair<std::string, Value>>;
/// Returns the literal defaults of the inputs of A that are not given and that at least one of the models uses.
DefaultInputs defaultsOf(const GraphModule& a, const GraphModule& b, const RunInputs& givenToA);

/// Draws further inputs, the same for the same seed:
///
///     floats     normal, with the scale of the given ones and others from 0.01 to 300; the given ones in another
///                order; a few numbers that repeat
///     integers   in the range of the given ones, small ones with and without 0 and negative ones, all of a byte
///     booleans   all true, all false, random, and rows of one value
///     numbers, texts, None    others of the kind: one more, negative, a longer text, a tensor
///     defaults   sometimes another value for one input that is not given
class InputSource {
public:
    /// Copies the given inputs.
    InputSource(const RunInputs& given, DefaultInputs defaults, std::uint64_t seed);

    /// Returns the `index`th inputs with other values in the same shapes.
    FurtherInputs values(std::size_t index);
    /// Returns other batch sizes, and other lengths of lists. `fixed` marks the sizes that must not change.
    std::vector<FurtherInputs> sizes(const FixedSizes& fixed);
    /// Returns the shapes of the given inputs.
    Shapes shapes() const { return shapesOf(valuesOf(m_given)); }
    /// Returns inputs with these sizes.
    FurtherInputs ofSizes(const Shapes& shapes);
    /// Returns inputs in which one group at a time has one of these sizes, or two more. Only larger sizes than the
    /// given count.
    std::vector<FurtherInputs> lengths(const std::vector<SizeGroup>& groups, const std::vector<std::int64_t>& numbers);
    /// Returns inputs with `numbers` in turn instead of the given integers: in longer inputs if they do not fit, and in
    /// the given sizes. `groups` are the sizes that may vary.
    std::vector<FurtherInputs> integersFrom(const std::vector<std::int64_t>& numbers,
                                            const std::vector<SizeGroup>& groups);
    /// Returns inputs in which a part of the given integers is this one; empty if none are given.
    std::vector<FurtherInputs> withInteger(std::int64_t number) const;
    /// Returns floats with one large element in each row (the first, the last or one in the middle), large rows of one
    /// sign, and inputs of one shape that are all the same, or the same in some elements.
    std::vector<FurtherInputs> directed();
    /// Call this when A refuses inputs of `values`, before drawing others. `values` draws no more integers of their
    /// range.
    void refused(const FurtherInputs& inputs);

private:
    /// A range of integers.
    enum class Whole : std::uint8_t { Given, Small, NotZero, Wider, kCount };
    Value other(const Value& value, std::size_t index, Whole whole, double scale);
    at::Tensor otherTensor(const at::Tensor& tensor, std::size_t index, Whole whole, double scale);
    at::Tensor integers(const at::Tensor& tensor, Whole whole);
    at::Tensor floats(const at::Tensor& tensor, std::size_t index, double scale);
    at::Tensor flags(const at::Tensor& tensor, std::size_t index);
    Value ofBatch(const Value& value, std::int64_t from, std::int64_t to);
    void varyDefault(std::size_t index, FurtherInputs& out) const;

    RunInputs m_given;
    DefaultInputs m_defaults; ///< without those that are None
    Random m_random;
    Value m_tensor; ///< the first float tensor; None without one
    bool m_hasIntegers = false, m_hasFloats = false;
    std::vector<Whole> m_wholes = {Whole::Given, Whole::Small, Whole::NotZero, Whole::Wider};
    Whole m_last = Whole::Given;
};

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/stimulus.h"

#include <string>

namespace fx::engine {

/// The sizes of tensors, in the order of `forEachTensor`.
using Shapes = std::vector<std::vector<std::int64_t>>;
/// Returns the sizes of all tensors in some values.
Shapes shapesOf(const std::vector<Value>& values);
/// Returns the number of elements of tensors with these sizes.
std::int64_t elementsIn(const Shapes& shapes);
/// Describes the sizes that differ from the given ones: "inputs of 2×9×8 and 2×9".
std::string textOf(const Shapes& shapes, const Shapes& given);

/// By tensor and dimension: true if the size must not vary. Missing elements may vary.
using FixedSizes = std::vector<std::vector<bool>>;
/// Dimensions of tensors that vary together: a single one, or those that must be equal.
struct SizeGroup {
    std::vector<std::pair<std::size_t, std::size_t>> axes; ///< index of the tensor, dimension
    bool onlyMultiples = false;                            ///< the models accept 16 instead of 8, but not 9
};
/// Returns the given shapes with another size in the dimensions of a group.
Shapes withSize(Shapes shapes, const SizeGroup& group, std::int64_t size);

/// The result of a run on other sizes.
enum class Attempt : std::uint8_t {
    Ran,        ///< both models accept them
    Refused,    ///< A refuses them
    RefusedByB, ///< only B refuses them
    Enough,     ///< the search ends
};
/// The sizes that may vary.
struct VariedSizes {
    std::vector<SizeGroup> groups; ///< groups of dimensions that may vary
    std::optional<Shapes> onlyA; ///< the first shapes that A accepts and B refuses, if the dimension varies in no group
};
/// The limits of `varySizes`.
struct SizeLimits {
    FixedSizes fixed;      ///< the sizes that must not vary
    std::int64_t most = 0; ///< the number of elements of all tensors together
    bool multiples = true; ///< also try multiples of the sizes, not only slightly larger ones
};
/// Tries other sizes to find out which sizes are equal by chance and which must be equal:
///
///     2×8×8 and 2×8      given
///     3×8×8              each dimension separately, one larger; if refused, twice as large;
///     3×8×8 and 3×8      if refused again, with others of its size, first those at the same index
///     3×9×10 and 3×11    all dimensions that may vary at once, each with another size
///     4×16×24 and 4×32   the same with multiples, which turn one window or patch into several
///
/// If all at once are refused, tries as many groups together as possible.
VariedSizes varySizes(const Shapes& given, const SizeLimits& limits,
                      const std::function<Attempt(const Shapes&)>& attempt);

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Finds the symbolic expression of a size from its values for several values of the symbols.
///
///     symbols     s0: 9 14 23 30    known sizes   2*s0 - 1: 17 27 45 59
///     a size is   5 7 12 15         fit           "((s0 - 1)//2) + 1"
///
/// A size is a number, or a known size times a factor plus an offset, divided and rounded down; or the sum, the
/// difference or the product of two of these sizes. It must give all values; a rounded one that is not the only one
/// does not fit. Not thread-safe.
class SizeFit {
public:
    using Values = std::vector<std::int64_t>; ///< one per sample

    /// Adds a symbol, or a known size; duplicates are ignored.
    void add(const std::string& text, const Values& values);
    /// Returns the expression with these values, or nullopt.
    std::optional<std::string> fit(const Values& values);
    /// Fits the strides of a tensor with these sizes: often products of sizes. `strides[d]` has one value per sample.
    std::optional<std::string> fitStride(std::size_t dimension, const std::vector<Values>& sizes,
                                         const std::vector<std::string>& sizeTexts, const std::vector<Values>& strides);

private:
    struct Known {
        std::string text;
        Values values;
        std::int64_t factor = 0; ///< if it is an earlier known size times this plus an offset; else 0
    };
    std::optional<std::string> found(const Values& values) const;
    std::optional<std::string> ofOne(const Values& values) const;
    std::optional<std::string> rounded(const Values& values) const;
    std::optional<std::string> ofTwo(const Values& values) const;

    std::vector<Known> m_known;
    std::map<Values, std::optional<std::string>> m_fitted;
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <vector>

namespace fx::engine {

/// Whether two quantities always have the same sign, and so decide the same: `x > 0` and `2 * x > 0`, the order of
/// logits and that of their softmax. Both are known at some places only:
///
///     b │     ·             Two signs that differ are an answer. Without any, the places near zero tell: there b / a
///       │   ·               spreads no more than elsewhere if b follows from a, but as 1 / a if something else is
///     ──·─·────── a         added to it, as by other weights.
///       │
class SameSigns {
public:
    /// A place. Signs count only beyond the noise, that is, what rounding may make of a quantity.
    void add(double a, double b, double noiseA, double noiseB);
    /// Whether that is so, as far as these places tell. Too few places tell nothing: false.
    bool hold() const;
    bool differ() const { return m_differ; }

private:
    struct Place {
        double size, ratio; ///< logarithms of |a| and of b / a
        double noise;       ///< of the ratio
    };
    std::vector<Place> m_places;
    bool m_differ = false;
};

} // namespace fx::engine

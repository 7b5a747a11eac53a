// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <span>

namespace fx {

/// Returns true if a property of characters holds for `c`. `flips` lists, in ascending order, the characters at which
/// the property changes; it starts as false.
inline bool holdsFor(std::span<const char32_t> flips, char32_t c) {
    return (std::upper_bound(flips.begin(), flips.end(), c) - flips.begin()) % 2 == 1;
}

} // namespace fx

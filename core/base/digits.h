// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

namespace fx {

/// Returns the digits of `value` in base 2, 8 or 16. Each digit stands for `bits` bits: 1, 3 or 4.
inline std::string digitsOf(std::uint64_t value, unsigned bits) {
    std::string text;
    do text += "0123456789abcdef"[value & ((1U << bits) - 1)];
    while (value >>= bits);
    std::reverse(text.begin(), text.end());
    return text;
}

} // namespace fx

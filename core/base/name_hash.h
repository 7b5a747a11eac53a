// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fx {

/// Hashes a name for tables with linear probing. Names that differ only in the number at their end (relu_1, relu_2, …)
/// are neighbours, eight in one cache line, because graphs name their nodes consecutively:
///
///     29 bits of the text and of the number / 8 | 3 bits: the number % 8
inline std::uint32_t nameHash(std::string_view name) {
    std::size_t length = name.size();
    std::uint64_t number = 0, weight = 1;
    for (; length > 1 && name.size() - length < 9; --length, weight *= 10) {
        const unsigned digit = static_cast<unsigned char>(name[length - 1]) - unsigned{'0'};
        if (digit > 9) break;
        number += digit * weight;
    }
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ull;
    std::uint64_t hash = (length + 1) * kMix;
    const char* at = name.data();
    for (; length >= 8; length -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = (hash ^ word) * kMix;
        hash ^= hash >> 32;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, length);
    hash = (hash ^ rest) * kMix;
    hash ^= hash >> 32;
    hash = (hash ^ (number >> 3)) * kMix;
    return static_cast<std::uint32_t>((hash >> 32 & ~std::uint64_t{7}) | (number & 7));
}

} // namespace fx

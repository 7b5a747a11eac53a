// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace fx {
namespace {
constexpr std::size_t kBlock = 64;
using State = std::array<std::uint32_t, 4>;

/// The constants are 2^32 * |sin(i + 1)|, as the RFC defines them.
std::array<std::uint32_t, 64> constants() {
    std::array<std::uint32_t, 64> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    return out;
}

void addBlock(State& state, const unsigned char* bytes) {
    static const std::array<std::uint32_t, 64> kConstants = constants();
    constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    std::array<std::uint32_t, 16> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = bytes[4 * i] | std::uint32_t{bytes[4 * i + 1]} << 8 | std::uint32_t{bytes[4 * i + 2]} << 16 |
                   std::uint32_t{bytes[4 * i + 3]} << 24;
    auto [a, b, c, d] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t round = i / 16;
        const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                    : round == 1 ? (d & b) | (~d & c)
                                    : round == 2 ? b ^ c ^ d
                                                 : c ^ (b | ~d);
        constexpr std::size_t kSteps[4] = {1, 5, 3, 7}, kStarts[4] = {0, 1, 5, 0};
        const std::uint32_t word = words[(kSteps[round] * i + kStarts[round]) % 16];
        const std::uint32_t turned = b + std::rotl(a + mixed + kConstants[i] + word, kShifts[round][i % 4]);
        a = d, d = c, c = b, b = turned;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}
} // namespace

std::string md5(std::string_view bytes) {
    State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    const auto add = [&](std::string_view whole) {
        for (std::size_t at = 0; at + kBlock <= whole.size(); at += kBlock)
            addBlock(state, reinterpret_cast<const unsigned char*>(whole.data() + at));
    };
    add(bytes);
    std::string rest(bytes.substr(bytes.size() - bytes.size() % kBlock));
    rest += '\x80';
    while (rest.size() % kBlock != kBlock - 8) rest += '\0';
    for (int shift = 0; shift < 64; shift += 8) rest += static_cast<char>(bits >> shift & 255);
    add(rest);
    std::string text;
    for (const std::uint32_t word : state)
        for (int byte = 0; byte < 4; ++byte) {
            const std::uint32_t value = word >> (8 * byte) & 255;
            text += "0123456789abcdef"[value >> 4];
            text += "0123456789abcdef"[value & 15];
        }
    return text;
}

} // namespace fx

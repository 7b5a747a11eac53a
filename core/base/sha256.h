// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fx {

/// SHA-256 (FIPS 180-4): identifies content by its bytes.
class Sha256 {
public:
    Sha256& add(std::string_view bytes);
    /// The digest as 64 hexadecimal digits. Do not add bytes afterwards.
    std::string hex();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> m_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> m_rest{};
    std::uint64_t m_bytes = 0;
};

std::string sha256(std::string_view bytes);

} // namespace fx

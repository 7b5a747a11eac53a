// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fx {

/// Incremental SHA-256 (FIPS 180-4), used to identify content.
class Sha256 {
public:
    /// Appends bytes to the message.
    Sha256& add(std::string_view bytes);
    /// Returns the digest as 64 hexadecimal digits. No bytes may be added afterwards.
    std::string hex();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> m_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> m_rest{};
    std::uint64_t m_bytes = 0;
};

/// Returns the digest of `bytes` as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace fx

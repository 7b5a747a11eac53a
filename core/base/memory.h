// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace fx {

/// Bytes of memory that the machine has free, from /proc/meminfo; 0 when it does not say.
std::uint64_t freeMemory();

/// "37.3 GiB", "12 MiB", "800 bytes".
std::string bytesInWords(std::uint64_t bytes);

} // namespace fx

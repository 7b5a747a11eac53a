// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace fx {

/// Returns the available memory of the machine in bytes, from /proc/meminfo; 0 if unknown.
std::uint64_t freeMemory();

/// Formats a size in binary units: "37.3 GiB", "12 MiB", "800 bytes".
std::string bytesInWords(std::uint64_t bytes);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include <array>
#include <cstdio>
#include <fstream>

namespace fx {

std::uint64_t freeMemory() {
    std::ifstream in("/proc/meminfo");
    std::string word;
    while (in >> word)
        if (std::uint64_t kilobytes = 0; word == "MemAvailable:" && in >> kilobytes) return kilobytes << 10;
    return 0;
}

std::string bytesInWords(std::uint64_t bytes) {
    constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; number >= 1024 && unit + 1 < kUnits.size(); ++unit) number /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), number < 100 && unit > 0 ? "%.1f %s" : "%.0f %s", number, kUnits[unit]);
    return text.data();
}

} // namespace fx

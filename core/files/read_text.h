// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace fx {

/// The whole of a text file. Throws Error{File} if it cannot be read or exceeds `maxBytes`.
std::string readTextFile(const std::string& path, std::uint64_t maxBytes = 64 << 20);

} // namespace fx

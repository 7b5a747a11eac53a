// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace fx {

class DataFile;

/// Reads a text file. Throws Error{File} if it cannot be read or exceeds `maxBytes`.
std::string readTextFile(const std::string& path, std::uint64_t maxBytes = 64 << 20);
/// Reads an open text file; throws as `readTextFile`.
std::string readText(const DataFile& file, std::uint64_t maxBytes);

} // namespace fx

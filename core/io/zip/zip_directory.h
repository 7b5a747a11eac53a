// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"

namespace fx {

/// The central directory of a zip file, read in one piece and bounded, but not yet judged.
struct ZipDirectory {
    std::vector<ZipMember> members;
    std::uint64_t offset = 0; ///< where the directory begins
};

/// Throws Error{File} that says what is wrong and where.
ZipDirectory readZipDirectory(const DataFile& file);

/// Little-endian numbers of a byte string; the caller has checked the bounds.
inline std::uint64_t littleEndian(const std::byte* at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
    return value;
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

namespace fx {

/// The central directory of a zip file, read in one piece and bounded, but not yet validated.
struct ZipDirectory {
    std::vector<ZipMember> members;
    std::uint64_t offset = 0; ///< start of the directory
};

/// The position of an archive in a file; usually the whole file.
struct ZipPlace {
    const DataFile& whole;
    std::uint64_t start, bytes;

    const std::string& path() const { return whole.path(); }
    std::uint64_t size() const { return bytes; }
    /// Reads bytes at an offset in the archive. Throws Error{File} past its end.
    void read(std::uint64_t offset, std::span<std::byte> out) const {
        if (offset > bytes || out.size() > bytes - offset)
            throw Error(ErrorKind::File, Message("zip.truncated")).in(path());
        whole.read(start + offset, out);
    }
};

/// Reads the directory. Throws Error{File} with the problem and its position. Offsets are relative to the start of the
/// archive.
ZipDirectory readZipDirectory(const ZipPlace& place);

/// Reads a little-endian number of `bytes` bytes without checking bounds.
inline std::uint64_t littleEndian(const std::byte* at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
    return value;
}

} // namespace fx

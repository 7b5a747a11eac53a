// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <string_view>
#include <unordered_map>

namespace fx {

/// One entry of an archive's central directory.
struct ZipMember {
    std::string name;
    std::uint64_t size = 0;           ///< bytes of the content
    std::uint64_t compressedSize = 0; ///< bytes in the file; equal to `size` if stored
    std::uint64_t headerOffset = 0;   ///< offset of the local header
    std::uint32_t crc32 = 0;
    bool stored = true; ///< false: deflated
};

/// A zip archive that is read on demand: opening reads only the central directory, in one piece.
///
/// Custom code because minizip does not report the position of local headers (so overlapping members cannot be
/// detected) and finds the data only by opening every member, which would touch all of a 5 GB file. Supports stored and
/// deflated members, including zip64. Opening refuses zip bombs: more than 100,000 members, overlapping members, sizes
/// past the end of the file, more than 64 MB compressed by more than 20:1. An archive inside an archive is not
/// expanded. Immutable, cheap to copy, thread-safe.
class ZipArchive {
public:
    /// Maximum number of members.
    static constexpr std::uint64_t kMaxMembers = 100'000;
    static constexpr std::uint64_t kRatioFrom = 64 << 20; ///< size from which the ratio is checked
    /// Maximum ratio of content to compressed bytes.
    static constexpr std::uint64_t kMaxRatio = 20;
    static constexpr std::uint64_t kInMemoryFrom = 8 << 20; ///< the same for members that are read as a whole

    /// Returns true if the file starts like a zip archive (`PK\3\4`, or `PK\5\6` when empty).
    static bool looksLikeZip(const DataFile& file);
    /// Opens a whole file. Throws Error{File}.
    static ZipArchive open(std::shared_ptr<const DataFile> file);
    /// Opens an archive inside a file, such as a stored member of another archive.
    static ZipArchive open(std::shared_ptr<const DataFile> file, std::uint64_t start, std::uint64_t bytes);

    /// The file that contains the archive.
    const std::shared_ptr<const DataFile>& file() const { return m_contents->file; }
    /// Offset of the archive in the file.
    std::uint64_t start() const { return m_contents->start; }
    /// Size of the archive in bytes.
    std::uint64_t byteCount() const { return m_contents->bytes; }
    /// In the order of the directory.
    const std::vector<ZipMember>& members() const { return m_contents->members; }
    /// Returns the member with this full name (the last of several), or null.
    const ZipMember* find(std::string_view name) const;
    /// The folder that contains all members (`resnet/`), as in PyTorch's archives, or empty.
    const std::string& root() const { return m_contents->root; }
    /// `find(root() + name)`: `data.pkl` finds `resnet/data.pkl`.
    const ZipMember* findInRoot(std::string_view name) const;

    /// Local headers read ahead, because many small members are close together.
    struct HeaderWindow {
        std::uint64_t start = 0; ///< offset in the archive
        std::vector<std::byte> bytes;
    };
    /// Returns the offset of a member's bytes in the file. Reads its local header; `window` caches neighbouring
    /// headers.
    std::uint64_t dataOffset(const ZipMember& member, HeaderWindow* window = nullptr) const;
    /// Returns the content, inflated if necessary. Throws Error{File}, before inflating anything, if the content is
    /// longer than `maxBytes`, or more than 8 MB compressed by more than 20:1; also if it is damaged. Does not check
    /// the checksum of a stored member, because PyTorch can write archives without valid ones; see `checksumMatches`.
    std::vector<std::byte> read(const ZipMember& member, std::uint64_t maxBytes) const;
    /// Like `read`, as a string.
    std::string readText(const ZipMember& member, std::uint64_t maxBytes) const;
    /// Returns true if the content has the member's checksum.
    static bool checksumMatches(const ZipMember& member, std::span<const std::byte> content);
    /// Reads the whole content piece by piece. Throws Error{File} if its checksum differs.
    void checkContent(const ZipMember& member) const;
    /// Returns the content as a storage that stays in the file; deflated content is inflated on each read.
    std::shared_ptr<const Storage> storage(const ZipMember& member, HeaderWindow* window = nullptr) const;

private:
    void readHeader(const ZipMember& member, std::span<std::byte> header, HeaderWindow* window) const;
    struct Contents {
        std::shared_ptr<const DataFile> file;
        std::vector<ZipMember> members;
        std::unordered_map<std::string_view, std::size_t> byName;
        std::string root;
        std::uint64_t start = 0, bytes = 0;
        std::uint64_t directoryOffset = 0; ///< from the start of the archive
    };
    std::shared_ptr<const Contents> m_contents;
};

} // namespace fx

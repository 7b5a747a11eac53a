// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_directory.h"

#include <algorithm>

// A zip file ends with its directory (PKWARE APPNOTE 6.3):
//
//   member data ... | directory: one entry a member | [zip64 end record | zip64 locator] | end record | comment
//                   ^ offset                          ^ found through the locator           ^ found from the back

namespace fx {

namespace {

constexpr std::uint32_t kEndSignature = 0x06054b50, kLocatorSignature = 0x07064b50, kEnd64Signature = 0x06064b50,
                        kEntrySignature = 0x02014b50;
constexpr std::size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kEntrySize = 46, kMaxComment = 0xFFFF;
constexpr std::uint64_t kMaxDirectory = 64 << 20; ///< bytes; 100,000 members of PyTorch need 10 MB

[[noreturn]] void damaged(const ZipPlace& file, const Message& what, std::uint64_t offset) {
    throw Error(ErrorKind::File, Message("zip.damaged", {{"reason", what.text()}, {"cause", what.code()}}))
        .in(file.path())
        .at("byte " + std::to_string(offset));
}

std::vector<std::byte> readPiece(const ZipPlace& file, std::uint64_t offset, std::uint64_t size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file.read(offset, bytes);
    return bytes;
}

struct End {
    std::uint64_t entries = 0, size = 0, offset = 0;
    std::uint64_t limit = 0; ///< the directory ends here at the latest
};

/// The end record at `at`, widened by the zip64 records before it when there are any.
End readEnd(const ZipPlace& file, const std::byte* record, std::uint64_t at) {
    End end{littleEndian(record + 10, 2), littleEndian(record + 12, 4), littleEndian(record + 16, 4), at};
    if (littleEndian(record + 4, 2) != 0 && littleEndian(record + 4, 2) != 0xFFFF)
        damaged(file, Message("zip.multipart"), at);
    if (at < kLocatorSize) return end;
    const auto locator = readPiece(file, at - kLocatorSize, kLocatorSize);
    if (littleEndian(locator.data(), 4) != kLocatorSignature) return end;
    const std::uint64_t where = littleEndian(locator.data() + 8, 8);
    if (where > at - kLocatorSize || at - kLocatorSize - where < kEnd64Size)
        damaged(file, Message("zip.zip64_outside"), at);
    const auto wide = readPiece(file, where, kEnd64Size);
    if (littleEndian(wide.data(), 4) != kEnd64Signature) damaged(file, Message("zip.zip64_invalid"), where);
    return {littleEndian(wide.data() + 32, 8), littleEndian(wide.data() + 40, 8), littleEndian(wide.data() + 48, 8),
            where};
}

End findEnd(const ZipPlace& file) {
    if (file.size() < kEndSize) damaged(file, Message("zip.too_short"), 0);
    const std::uint64_t tail = std::min<std::uint64_t>(file.size(), kEndSize + kMaxComment);
    const std::uint64_t start = file.size() - tail;
    const auto bytes = readPiece(file, start, tail);
    for (std::size_t i = bytes.size() - kEndSize + 1; i-- > 0;)
        if (littleEndian(bytes.data() + i, 4) == kEndSignature) return readEnd(file, bytes.data() + i, start + i);
    damaged(file, Message("zip.no_end"), file.size());
}

/// Takes the 64-bit values that the entry's extra field holds for those that are all ones in the entry.
void widen(const ZipPlace& file, ZipMember& member, const std::byte* extra, std::size_t length, std::uint64_t at) {
    std::uint64_t* const wide[] = {&member.size, &member.compressedSize, &member.headerOffset};
    for (std::size_t i = 0; i + 4 <= length;) {
        const std::uint64_t id = littleEndian(extra + i, 2);
        const std::size_t size = static_cast<std::size_t>(littleEndian(extra + i + 2, 2));
        i += 4;
        if (size > length - i) damaged(file, Message("zip.extra_too_long"), at);
        if (id == 1) {
            std::size_t used = 0;
            for (std::uint64_t* value : wide) {
                if (*value != 0xFFFFFFFF) continue;
                if (used + 8 > size) damaged(file, Message("zip.zip64_too_short"), at);
                *value = littleEndian(extra + i + used, 8);
                used += 8;
            }
            return;
        }
        i += size;
    }
}

/// Parses the entry at `at` of the directory and moves `at` behind it.
ZipMember readEntry(const ZipPlace& file, const std::vector<std::byte>& directory, std::size_t& at,
                    std::uint64_t base) {
    const std::uint64_t place = base + at;
    if (directory.size() - at < kEntrySize) damaged(file, Message("zip.directory_short"), place);
    const std::byte* entry = directory.data() + at;
    if (littleEndian(entry, 4) != kEntrySignature) damaged(file, Message("zip.bad_entry"), place);
    const auto nameLength = static_cast<std::size_t>(littleEndian(entry + 28, 2));
    const auto extraLength = static_cast<std::size_t>(littleEndian(entry + 30, 2));
    const auto total = kEntrySize + nameLength + extraLength + static_cast<std::size_t>(littleEndian(entry + 32, 2));
    if (directory.size() - at < total) damaged(file, Message("zip.directory_short"), place);
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(entry + kEntrySize), nameLength);
    member.crc32 = static_cast<std::uint32_t>(littleEndian(entry + 16, 4));
    member.compressedSize = littleEndian(entry + 20, 4);
    member.size = littleEndian(entry + 24, 4);
    member.headerOffset = littleEndian(entry + 42, 4);
    const std::uint64_t flags = littleEndian(entry + 8, 2), method = littleEndian(entry + 10, 2);
    if (flags & 1) throw Error(ErrorKind::File, Message("zip.encrypted")).in(file.path()).at(member.name);
    if (method != 0 && method != 8) throw Error(ErrorKind::File, Message("zip.method")).in(file.path()).at(member.name);
    member.stored = method == 0;
    widen(file, member, entry + kEntrySize + nameLength, extraLength, place);
    at += total;
    return member;
}

} // namespace

ZipDirectory readZipDirectory(const ZipPlace& file) {
    const End end = findEnd(file);
    if (end.entries > ZipArchive::kMaxMembers)
        throw Error(ErrorKind::File, Message("zip.too_many", {{"count", end.entries}})).in(file.path());
    if (end.offset > end.limit || end.size > end.limit - end.offset)
        damaged(file, Message("zip.directory_outside"), end.limit);
    if (end.size > kMaxDirectory) throw Error(ErrorKind::File, Message("zip.directory_too_large")).in(file.path());
    ZipDirectory result;
    result.offset = end.offset;
    const auto directory = readPiece(file, end.offset, end.size);
    result.members.reserve(static_cast<std::size_t>(end.entries));
    for (std::size_t at = 0; result.members.size() < end.entries;)
        result.members.push_back(readEntry(file, directory, at, end.offset));
    return result;
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_archive.h"

#include "core/diag/error.h"
#include "core/io/zip/inflate_stream.h"
#include "core/io/zip/zip_directory.h"

#include <algorithm>
#include <array>

namespace fx {

namespace {

constexpr std::size_t kLocalSize = 30;
constexpr std::uint32_t kLocalSignature = 0x04034b50;

[[noreturn]] void refuse(const DataFile& file, const Message& what, const std::string& member) {
    throw Error(ErrorKind::File, Message("zip.refused", {{"reason", what.text()}, {"cause", what.code()}}))
        .in(file.path())
        .at(member);
}

/// The bytes that a member takes at least: local header, name and data.
std::uint64_t leastEnd(const ZipMember& member) {
    return member.headerOffset + kLocalSize + member.name.size() + member.compressedSize;
}

void checkSizes(const DataFile& file, const ZipDirectory& directory) {
    std::uint64_t packed = 0, unpacked = 0;
    for (const ZipMember& member : directory.members) {
        if (member.headerOffset >= directory.offset || member.compressedSize > directory.offset ||
            leastEnd(member) > directory.offset)
            refuse(file, Message("zip.member_outside"), member.name);
        if (member.stored && member.size != member.compressedSize) refuse(file, Message("zip.two_sizes"), member.name);
        if (member.size > ZipArchive::kRatioFrom && member.size / ZipArchive::kMaxRatio > member.compressedSize)
            refuse(file, Message("zip.member_too_large"), member.name);
        packed += member.compressedSize;
        if (__builtin_add_overflow(unpacked, member.size, &unpacked))
            refuse(file, Message("zip.size_overflow"), member.name);
    }
    if (unpacked > ZipArchive::kRatioFrom && unpacked / ZipArchive::kMaxRatio > packed)
        refuse(file, Message("zip.too_large"), {});
}

void checkOverlaps(const DataFile& file, const ZipDirectory& directory) {
    std::vector<const ZipMember*> order;
    for (const ZipMember& member : directory.members) order.push_back(&member);
    std::sort(order.begin(), order.end(),
              [](const ZipMember* a, const ZipMember* b) { return a->headerOffset < b->headerOffset; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (leastEnd(*order[i - 1]) > order[i]->headerOffset)
            refuse(file, Message("zip.overlap", {{"first", order[i - 1]->name}, {"second", order[i]->name}}),
                   order[i]->name);
}

/// The first folder of the first name, when all names share it.
std::string commonRoot(const std::vector<ZipMember>& members) {
    if (members.empty()) return {};
    const std::size_t slash = members.front().name.find('/');
    if (slash == std::string::npos) return {};
    const std::string root = members.front().name.substr(0, slash + 1);
    const bool shared = std::all_of(members.begin(), members.end(),
                                    [&](const ZipMember& member) { return member.name.starts_with(root); });
    return shared ? root : std::string();
}

/// The pickle of a file of PyTorch in other letters: PyTorch does not tell them apart.
bool isOtherPickle(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return (lower == "data.pkl" || lower == "constants.pkl") && lower != name;
}

} // namespace

bool ZipArchive::looksLikeZip(const DataFile& file) {
    if (file.size() < 4) return false;
    std::array<std::byte, 4> start;
    file.read(0, start);
    const std::uint64_t signature = littleEndian(start.data(), 4);
    return signature == kLocalSignature || signature == 0x06054b50;
}

ZipArchive ZipArchive::open(std::shared_ptr<const DataFile> file) {
    const std::uint64_t bytes = file->size();
    return open(std::move(file), 0, bytes);
}

ZipArchive ZipArchive::open(std::shared_ptr<const DataFile> file, std::uint64_t start, std::uint64_t bytes) {
    if (start > file->size() || bytes > file->size() - start) refuse(*file, Message("zip.outside"), {});
    ZipDirectory directory = readZipDirectory({*file, start, bytes});
    checkSizes(*file, directory);
    checkOverlaps(*file, directory);
    auto contents = std::make_shared<Contents>();
    contents->file = std::move(file);
    contents->start = start;
    contents->bytes = bytes;
    contents->members = std::move(directory.members);
    contents->directoryOffset = directory.offset;
    contents->byName.reserve(contents->members.size());
    for (std::size_t i = 0; i < contents->members.size(); ++i)
        if (!contents->byName.emplace(contents->members[i].name, i).second || isOtherPickle(contents->members[i].name))
            refuse(*contents->file, Message("zip.ambiguous", {{"name", contents->members[i].name}}), {});
    contents->root = commonRoot(contents->members);
    ZipArchive archive;
    archive.m_contents = std::move(contents);
    return archive;
}

const ZipMember* ZipArchive::find(std::string_view name) const {
    const auto found = m_contents->byName.find(name);
    return found == m_contents->byName.end() ? nullptr : &members()[found->second];
}

const ZipMember* ZipArchive::findInRoot(std::string_view name) const { return find(root() + std::string(name)); }

/// Reads ahead only from the second header on that lies near the one before: large members are far apart.
void ZipArchive::readHeader(const ZipMember& member, std::span<std::byte> header, HeaderWindow* window) const {
    constexpr std::uint64_t kAhead = 1 << 14;
    const std::uint64_t at = member.headerOffset;
    if (!window) return file()->read(start() + at, header);
    const bool isInside = at >= window->start && at - window->start + kLocalSize <= window->bytes.size();
    if (!isInside) {
        const bool isNear = at >= window->start && at - window->start <= kAhead;
        const std::uint64_t size = std::min(byteCount() - at, isNear ? kAhead : std::uint64_t{kLocalSize});
        window->start = at;
        window->bytes.resize(static_cast<std::size_t>(size));
        file()->read(start() + at, window->bytes);
    }
    const auto from = window->bytes.begin() + static_cast<std::ptrdiff_t>(at - window->start);
    std::copy(from, from + kLocalSize, header.begin());
}

std::uint64_t ZipArchive::dataOffset(const ZipMember& member, HeaderWindow* window) const {
    std::array<std::byte, kLocalSize> header;
    readHeader(member, header, window);
    if (littleEndian(header.data(), 4) != kLocalSignature)
        throw Error(ErrorKind::File, Message("zip.bad_header")).in(file()->path()).at(member.name);
    const std::uint64_t offset =
        member.headerOffset + kLocalSize + littleEndian(header.data() + 26, 2) + littleEndian(header.data() + 28, 2);
    if (offset > m_contents->directoryOffset || member.compressedSize > m_contents->directoryOffset - offset)
        refuse(*file(), Message("zip.member_outside"), member.name);
    return start() + offset;
}

std::vector<std::byte> ZipArchive::read(const ZipMember& member, std::uint64_t maxBytes) const {
    if (member.size > maxBytes)
        refuse(*file(), Message("zip.oversized", {{"size", member.size}, {"limit", maxBytes}}), member.name);
    if (!member.stored && member.size > kInMemoryFrom && member.size / kMaxRatio > member.compressedSize)
        refuse(*file(), Message("zip.member_too_large"), member.name);
    std::vector<std::byte> content(static_cast<std::size_t>(member.size));
    const std::uint64_t offset = dataOffset(member);
    if (member.stored) file()->read(offset, content);
    else InflateStream(file(), offset, member.compressedSize, member.size, member.name).read(0, content);
    if (!member.stored && !checksumMatches(member, content)) refuse(*file(), Message("zip.checksum"), member.name);
    return content;
}

std::string ZipArchive::readText(const ZipMember& member, std::uint64_t maxBytes) const {
    const std::vector<std::byte> content = read(member, maxBytes);
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}

bool ZipArchive::checksumMatches(const ZipMember& member, std::span<const std::byte> content) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) == member.crc32;
}

void ZipArchive::checkContent(const ZipMember& member) const {
    constexpr std::uint64_t kPiece = 1 << 20;
    const auto content = storage(member);
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(member.size, kPiece)));
    uLong sum = crc32_z(0, nullptr, 0);
    for (std::uint64_t at = 0; at < member.size; at += piece.size()) {
        const auto part = std::span(piece).first(static_cast<std::size_t>(std::min(member.size - at, kPiece)));
        content->read(at, part);
        sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
    }
    if (sum == member.crc32) return;
    const Message what("zip.wrong_sum");
    throw Error(ErrorKind::File, Message("zip.damaged", {{"reason", what.text()}, {"cause", what.code()}}))
        .in(file()->path())
        .at(member.name);
}

std::shared_ptr<const Storage> ZipArchive::storage(const ZipMember& member, HeaderWindow* window) const {
    const std::uint64_t offset = dataOffset(member, window);
    if (member.stored) return Storage::inFile(file(), offset, member.size);
    auto stream = std::make_shared<InflateStream>(file(), offset, member.compressedSize, member.size, member.name);
    return Storage::through(member.size,
                            [stream](std::uint64_t at, std::span<std::byte> out) { stream->read(at, out); });
}

} // namespace fx

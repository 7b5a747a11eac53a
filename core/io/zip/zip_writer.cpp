// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_writer.h"

#include <algorithm>
#include <array>
#include <zlib.h>

namespace fx {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kFull = 0xFFFFFFFF;
constexpr std::uint64_t kBlock = 4 << 20;
constexpr std::size_t kGathered = 256 << 10; ///< headers and small members go to the sink together
/// Sizes and checksum follow the data (bit 3); names are UTF-8 (bit 11).
constexpr std::uint64_t kFlags = 0x0808;

/// Little-endian fields one after another: a record of the format without its texts.
class Fields {
public:
    Fields& operator()(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) m_bytes[m_size++] = static_cast<char>(value >> (8 * i) & 0xFF);
        return *this;
    }
    std::string_view bytes() const { return {m_bytes.data(), m_size}; }

private:
    std::array<char, 64> m_bytes; ///< the longest record has 56
    std::size_t m_size = 0;
};

std::uint64_t capped(std::uint64_t value) { return std::min<std::uint64_t>(value, kFull); }

} // namespace

void ZipWriter::put(std::string_view bytes) {
    m_position += bytes.size();
    if (m_waiting.size() + bytes.size() > kGathered) flush();
    if (bytes.size() > kGathered) return m_sink(bytes);
    m_waiting += bytes;
}

void ZipWriter::flush() {
    if (!m_waiting.empty()) m_sink(m_waiting);
    m_waiting.clear();
}

void ZipWriter::begin(std::string name, std::uint64_t size) {
    const bool large = size >= kFull;
    const std::uint64_t sizes = large ? 20 : 0; // the zip64 field
    const std::uint64_t header = m_position + 30 + name.size() + sizes + 4;
    const std::uint64_t padding = (kAlignment - header % kAlignment) % kAlignment;
    Fields fields, extra;
    fields(0x04034b50, 4)(large ? 45 : 20, 2)(kFlags, 2)(0, 2)(0, 2)(0x21, 2)(0, 4)(large ? kFull : 0, 4)(
        large ? kFull : 0, 4)(name.size(), 2)(sizes + 4 + padding, 2);
    if (large) extra(1, 2)(16, 2)(0, 8)(0, 8);
    extra(0x4246, 2)(padding, 2); // the field that PyTorch pads with
    static const std::string kPadding(kAlignment, 'Z');
    m_members.push_back({std::move(name), m_position, size, static_cast<std::uint32_t>(crc32(0, nullptr, 0))});
    put(fields.bytes());
    put(m_members.back().name);
    put(extra.bytes());
    put(std::string_view(kPadding).substr(0, static_cast<std::size_t>(padding)));
}

void ZipWriter::data(std::string_view bytes) {
    m_members.back().crc = static_cast<std::uint32_t>(
        crc32_z(m_members.back().crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    put(bytes);
}

void ZipWriter::end() {
    const Member& member = m_members.back();
    const int width = member.size >= kFull ? 8 : 4;
    put(Fields()(0x08074b50, 4)(member.crc, 4)(member.size, width)(member.size, width).bytes());
}

void ZipWriter::add(std::string name, std::string_view content) {
    begin(std::move(name), content.size());
    data(content);
    end();
}

void ZipWriter::add(std::string name, const Storage& storage, std::uint64_t bytes) {
    begin(std::move(name), bytes);
    if (m_block.size() < std::min(kBlock, bytes)) m_block.resize(static_cast<std::size_t>(std::min(kBlock, bytes)));
    for (std::uint64_t at = 0, size; at < bytes; at += size) {
        size = std::min(kBlock, bytes - at);
        const auto block = std::span(m_block).first(static_cast<std::size_t>(size));
        storage.read(at, std::as_writable_bytes(block));
        data({block.data(), block.size()});
    }
    end();
}

void ZipWriter::finish() {
    const std::uint64_t start = m_position;
    for (const Member& member : m_members) {
        const bool largeSize = member.size >= kFull, largeOffset = member.offset >= kFull;
        const int extra = (largeSize ? 16 : 0) + (largeOffset ? 8 : 0);
        Fields fields, extraFields;
        fields(0x02014b50, 4)(45, 2)(extra ? 45 : 20, 2)(kFlags, 2)(0, 2)(0, 2)(0x21, 2)(member.crc, 4)(
            capped(member.size), 4)(capped(member.size), 4)(member.name.size(), 2)(
            extra ? static_cast<std::uint64_t>(extra) + 4 : 0, 2)(0, 2)(0, 2)(0, 2)(0, 4)(capped(member.offset), 4);
        if (extra) extraFields(1, 2)(static_cast<std::uint64_t>(extra), 2);
        if (largeSize) extraFields(member.size, 8)(member.size, 8);
        if (largeOffset) extraFields(member.offset, 8);
        put(fields.bytes());
        put(member.name);
        put(extraFields.bytes());
    }
    const std::uint64_t size = m_position - start, count = m_members.size(), at = m_position;
    if (start >= kFull || count >= 0xFFFF) {
        put(Fields()(0x06064b50, 4)(44, 8)(45, 2)(45, 2)(0, 4)(0, 4)(count, 8)(count, 8)(size, 8)(start, 8).bytes());
        put(Fields()(0x07064b50, 4)(0, 4)(at, 8)(1, 4).bytes());
    }
    const std::uint64_t shown = std::min<std::uint64_t>(count, 0xFFFF);
    put(Fields()(0x06054b50, 4)(0, 2)(0, 2)(shown, 2)(shown, 2)(capped(size), 4)(capped(start), 4)(0, 2).bytes());
    flush();
}

} // namespace fx

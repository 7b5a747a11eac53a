// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensors.h"

#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

namespace fx {
namespace {
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::uint64_t kBlock = 1 << 20;
constexpr std::string_view kMetadata = "__metadata__";

struct Word {
    std::string_view word;
    DType dtype;
};
constexpr std::array<Word, 17> kWords = {{{"BOOL", DType::Bool},
                                          {"U8", DType::UInt8},
                                          {"I8", DType::Int8},
                                          {"F8_E4M3", DType::Float8E4M3FN},
                                          {"F8_E5M2", DType::Float8E5M2},
                                          {"F8_E8M0", DType::Float8E8M0FNU},
                                          {"U16", DType::UInt16},
                                          {"I16", DType::Int16},
                                          {"F16", DType::Float16},
                                          {"BF16", DType::BFloat16},
                                          {"U32", DType::UInt32},
                                          {"I32", DType::Int32},
                                          {"F32", DType::Float32},
                                          {"U64", DType::UInt64},
                                          {"I64", DType::Int64},
                                          {"F64", DType::Float64},
                                          {"C64", DType::Complex64}}};

std::uint64_t headerLength(const DataFile& file) {
    std::array<std::byte, 8> bytes{};
    if (file.size() < bytes.size()) throw Error(ErrorKind::File, Message("safetensors.too_short"));
    file.read(0, bytes);
    std::uint64_t length = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    if (length > kMaxHeader || length > file.size() - bytes.size())
        throw Error(ErrorKind::File, Message("safetensors.header_length", {{"length", std::to_string(length)}}));
    return length;
}

/// Elements of a shape times their size, or nothing when that is beyond 63 bits.
std::optional<std::uint64_t> bytesOf(const std::vector<std::int64_t>& shape, std::uint64_t bytes) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    for (const std::int64_t size : shape) {
        if (bytes >
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / static_cast<std::uint64_t>(size))
            return std::nullopt;
        bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
}

struct Region {
    std::uint64_t begin, end;
    std::string_view name;
};

SafetensorsEntry readEntry(JsonValue value, const std::shared_ptr<const DataFile>& file, std::uint64_t dataStart,
                           std::vector<Region>& regions) {
    SafetensorsEntry entry;
    entry.name = value.key();
    entry.dtype = value.at("dtype").asText();
    for (const JsonValue size : value.at("shape").needArray()) {
        if (size.asInt() < 0) throw size.error(Message("safetensors.negative_size"));
        entry.shape.push_back(size.asInt());
    }
    const JsonValue offsets = value.at("data_offsets").needArray();
    if (offsets.size() != 2) throw offsets.error(Message("safetensors.expected_offsets"));
    const std::int64_t begin = (*offsets.begin()).asInt(), end = (*++offsets.begin()).asInt();
    if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > file->size() - dataStart)
        throw offsets.error(Message("safetensors.offsets_outside"));
    const auto bytes = static_cast<std::uint64_t>(end - begin);
    if (const auto dtype = dtypeFromSafetensors(entry.dtype);
        dtype && bytesOf(entry.shape, elementSize(*dtype)) != bytes)
        throw value.error(Message("safetensors.shape_mismatch", {{"bytes", bytes}}));
    if (bytes > 0) regions.push_back({static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end), value.key()});
    entry.storage = Storage::inFile(file, dataStart + static_cast<std::uint64_t>(begin), bytes);
    return entry;
}

void checkOverlap(std::vector<Region>& regions) {
    std::sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < regions.size(); ++i)
        if (regions[i].begin < regions[i - 1].end)
            throw Error(ErrorKind::File,
                        Message("safetensors.overlap", {{"first", regions[i - 1].name}, {"second", regions[i].name}}));
}

SafetensorsFile readHeader(const std::shared_ptr<const DataFile>& file, const Progress& progress) {
    const std::uint64_t length = headerLength(*file);
    std::string text(length, '\0');
    file->read(8, std::as_writable_bytes(std::span(text)));
    const auto document = JsonDocument::parse(text, progress);
    SafetensorsFile content;
    std::vector<Region> regions;
    std::unordered_set<std::string_view> names;
    for (const JsonValue value : document->root().needObject()) {
        if (!names.insert(value.key()).second) throw value.error(Message("safetensors.duplicate"));
        if (value.key() == kMetadata) {
            for (const JsonValue entry : value.needObject()) content.metadata.emplace_back(entry.key(), entry.asText());
            continue;
        }
        content.entries.push_back(readEntry(value, file, 8 + length, regions));
    }
    checkOverlap(regions);
    return content;
}

std::string header(const SafetensorsFile& content, const std::vector<const SafetensorsEntry*>& order) {
    JsonWriter json;
    json.beginObject();
    if (!content.metadata.empty()) {
        json.key(kMetadata).beginObject();
        for (const auto& [key, value] : content.metadata) json.key(key).string(value);
        json.endObject();
    }
    std::uint64_t at = 0;
    for (const SafetensorsEntry* entry : order) {
        json.key(entry->name)
            .beginObject()
            .key("dtype")
            .string(entry->dtype)
            .key("shape")
            .integers(entry->shape)
            .key("data_offsets")
            .beginArray()
            .integer(static_cast<std::int64_t>(at));
        at += entry->storage->byteCount();
        json.integer(static_cast<std::int64_t>(at)).endArray().endObject();
    }
    json.endObject();
    std::string text = json.text();
    text.append((64 - (text.size() + 8) % 64) % 64, ' ');
    return text;
}
} // namespace

std::string_view safetensorsDtype(DType dtype) {
    const auto found =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.dtype == dtype; });
    return found == kWords.end() || dtype == DType::Complex64 ? std::string_view()
                                                              : found->word; // most readers refuse C64
}

std::optional<DType> dtypeFromSafetensors(std::string_view text) {
    const auto found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.word == text; });
    if (found == kWords.end()) return std::nullopt;
    return found->dtype;
}

SafetensorsFile readSafetensors(const std::shared_ptr<const DataFile>& file, const Progress& progress) {
    try {
        return readHeader(file, progress);
    } catch (Error& error) {
        if (error.file.empty()) error.in(file->path());
        throw;
    }
}

void writeSafetensors(ReplacedFile& out, const SafetensorsFile& content, const Progress& progress) {
    std::vector<const SafetensorsEntry*> order;
    std::uint64_t total = 1, done = 0;
    for (const SafetensorsEntry& entry : content.entries) {
        order.push_back(&entry);
        total += entry.storage->byteCount();
    }
    const auto width = [](const SafetensorsEntry* entry) {
        return elementSize(dtypeFromSafetensors(entry->dtype).value_or(DType::UInt8));
    };
    // Sizes of whole lines of the cache first: those tensors all begin at one, and are read in place.
    std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
        const bool first = a->storage->byteCount() % 64 == 0, second = b->storage->byteCount() % 64 == 0;
        return first != second ? first : !first && width(a) > width(b);
    });

    const std::string text = header(content, order);
    std::string length;
    for (int shift = 0; shift < 64; shift += 8) length += static_cast<char>(text.size() >> shift & 0xFF);
    out.write(length + text);
    std::string block;
    for (const SafetensorsEntry* entry : order) {
        for (std::uint64_t at = 0; at < entry->storage->byteCount(); at += block.size()) {
            progress.check();
            progress.report("writing " + entry->name, static_cast<double>(done + at) / static_cast<double>(total));
            block.resize(static_cast<std::size_t>(std::min(kBlock, entry->storage->byteCount() - at)));
            entry->storage->read(at, std::as_writable_bytes(std::span(block)));
            out.write(block);
        }
        done += entry->storage->byteCount();
    }
}

} // namespace fx

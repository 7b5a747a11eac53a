// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/npy.h"

#include "core/diag/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

namespace fx {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMaxHeader = 1 << 20;

template<class Source> std::string textAt(const Source& source, std::uint64_t offset, std::uint64_t count) {
    std::string text(static_cast<std::size_t>(count), '\0');
    source.read(offset, std::as_writable_bytes(std::span(text)));
    return text;
}

Error damaged(const Message& what) {
    return Error(ErrorKind::File, Message("npy.invalid", {{"reason", what.text()}, {"cause", what.code()}}));
}

/// What stands behind `'key':` in the header, a Python dict on one line.
std::string_view valueOf(std::string_view header, std::string_view key) {
    const auto at = header.find("'" + std::string(key) + "':");
    if (at == std::string_view::npos) throw damaged(Message("npy.missing_key", {{"key", key}}));
    std::string_view value = header.substr(at + key.size() + 3);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

DType dtypeOf(std::string_view value) {
    constexpr std::array<std::pair<std::string_view, DType>, 14> kTypes = {{{"f4", DType::Float32},
                                                                            {"f8", DType::Float64},
                                                                            {"f2", DType::Float16},
                                                                            {"i8", DType::Int64},
                                                                            {"i4", DType::Int32},
                                                                            {"i2", DType::Int16},
                                                                            {"i1", DType::Int8},
                                                                            {"u1", DType::UInt8},
                                                                            {"u2", DType::UInt16},
                                                                            {"u4", DType::UInt32},
                                                                            {"u8", DType::UInt64},
                                                                            {"b1", DType::Bool},
                                                                            {"c8", DType::Complex64},
                                                                            {"c16", DType::Complex128}}};
    const auto end = value.size() > 1 && value[0] == '\'' ? value.find('\'', 1) : std::string_view::npos;
    if (end == std::string_view::npos) throw Error(ErrorKind::File, Message("npy.records"));
    const std::string_view word = value.substr(1, end - 1);
    if (word.starts_with('>')) throw Error(ErrorKind::File, Message("npy.big_endian", {{"type", word}}));
    for (const auto& [name, dtype] : kTypes)
        if (word.size() > 1 && word.substr(1) == name) return dtype;
    throw Error(ErrorKind::File, Message("npy.unknown_type", {{"type", word}}));
}

std::vector<std::int64_t> shapeOf(std::string_view value) {
    const auto end = value.find(')');
    if (!value.starts_with('(') || end == std::string_view::npos) throw damaged(Message("npy.no_shape"));
    std::vector<std::int64_t> sizes;
    const char* last = value.data() + end;
    for (const char* at = value.data() + 1; at < last;) {
        if (*at == ' ' || *at == ',') {
            ++at;
            continue;
        }
        std::int64_t size = -1;
        const auto [next, error] = std::from_chars(at, last, size);
        if (error != std::errc() || size < 0 || sizes.size() == 64) throw damaged(Message("npy.bad_shape"));
        sizes.push_back(size);
        at = next;
    }
    return sizes;
}

/// The array whose header `content` begins with. `elements` gives the bytes from an offset to the end.
TensorPtr arrayIn(const Storage& content,
                  const std::function<std::shared_ptr<const Storage>(std::uint64_t offset)>& elements) {
    const std::uint64_t size = content.byteCount();
    const std::string start = textAt(content, 0, std::min<std::uint64_t>(12, size));
    if (start.size() < 10) throw damaged(Message("npy.cut"));
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(start[i])); };
    const bool wide = byte(6) > 1;
    if (byte(6) < 1 || byte(6) > 3 || (wide && start.size() < 12)) throw damaged(Message("npy.unknown_version"));
    const std::uint64_t headerAt = wide ? 12 : 10;
    const std::uint64_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
    if (length > kMaxHeader || headerAt + length > size) throw damaged(Message("npy.too_long"));
    const std::string header = textAt(content, headerAt, length);
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtypeOf(valueOf(header, "descr"));
    tensor->sizes = shapeOf(valueOf(header, "shape"));
    const bool columnMajor = valueOf(header, "fortran_order").starts_with("True");
    tensor->strides.assign(tensor->sizes.size(), 1);
    std::int64_t step = 1;
    for (std::size_t i = 0; i < tensor->sizes.size(); ++i) {
        const std::size_t dimension = columnMajor ? i : tensor->sizes.size() - 1 - i;
        tensor->strides[dimension] = step;
        if (__builtin_mul_overflow(step, std::max<std::int64_t>(tensor->sizes[dimension], 1), &step))
            throw damaged(Message("npy.shape_too_large"));
    }
    tensor->storage = elements(headerAt + length);
    if (const std::string problem = tensor->geometryProblem(); !problem.empty())
        throw Error(ErrorKind::File, Message("npy.too_short", {{"problem", problem}}));
    return tensor;
}

} // namespace

bool looksLikeNpy(const DataFile& file) { return file.size() >= 10 && textAt(file, 0, kMagic.size()) == kMagic; }

TensorPtr readNpy(const std::shared_ptr<const DataFile>& file) {
    return arrayIn(*Storage::inFile(file, 0, file->size()),
                   [&](std::uint64_t offset) { return Storage::inFile(file, offset, file->size() - offset); });
}

TensorPtr readNpy(const std::shared_ptr<const Storage>& content) {
    return arrayIn(*content, [&](std::uint64_t offset) {
        return Storage::through(
            content->byteCount() - offset,
            [content, offset](std::uint64_t at, std::span<std::byte> out) { content->read(offset + at, out); });
    });
}

} // namespace fx

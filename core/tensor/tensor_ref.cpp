// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/tensor_ref.h"

#include <array>

namespace fx {

namespace {

struct DTypeInfo {
    std::string_view name;
    std::size_t size;
};

/// In the order of the enum.
constexpr std::array<DTypeInfo, 26> kDTypes{{
    {"torch.float32", 4},        {"torch.float64", 8},     {"torch.float16", 2},         {"torch.bfloat16", 2},
    {"torch.int8", 1},           {"torch.uint8", 1},       {"torch.int16", 2},           {"torch.int32", 4},
    {"torch.int64", 8},          {"torch.bool", 1},        {"torch.complex32", 4},       {"torch.complex64", 8},
    {"torch.complex128", 16},    {"torch.uint16", 2},      {"torch.uint32", 4},          {"torch.uint64", 8},
    {"torch.float8_e4m3fn", 1},  {"torch.float8_e5m2", 1}, {"torch.float8_e4m3fnuz", 1}, {"torch.float8_e5m2fnuz", 1},
    {"torch.float8_e8m0fnu", 1}, {"torch.qint8", 1},       {"torch.quint8", 1},          {"torch.qint32", 4},
    {"torch.quint4x2", 1},       {"torch.quint2x4", 1},
}};
static_assert(kDTypes.size() == static_cast<std::size_t>(DType::Other));

/// Other spellings that torch gives the same types.
constexpr std::array<std::pair<std::string_view, DType>, 10> kAliases{{
    {"torch.float", DType::Float32},
    {"torch.double", DType::Float64},
    {"torch.half", DType::Float16},
    {"torch.short", DType::Int16},
    {"torch.int", DType::Int32},
    {"torch.long", DType::Int64},
    {"torch.cfloat", DType::Complex64},
    {"torch.cdouble", DType::Complex128},
    {"torch.chalf", DType::Complex32},
    {"torch.float8_e8m0", DType::Float8E8M0FNU},
}};

} // namespace

std::size_t elementSize(DType dtype) {
    return dtype == DType::Other ? 0 : kDTypes[static_cast<std::size_t>(dtype)].size;
}

std::int64_t elementsPerByte(DType dtype) { return dtype == DType::QUInt4x2 ? 2 : dtype == DType::QUInt2x4 ? 4 : 1; }

std::string_view dtypeName(DType dtype) {
    return dtype == DType::Other ? "unknown dtype" : kDTypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<DType> dtypeFromName(std::string_view torchName) {
    for (std::size_t i = 0; i < kDTypes.size(); ++i)
        if (kDTypes[i].name == torchName) return static_cast<DType>(i);
    for (const auto& [name, dtype] : kAliases)
        if (name == torchName) return dtype;
    return std::nullopt;
}

std::int64_t TensorRef::elementCount() const {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        if (__builtin_mul_overflow(count, size, &count)) return 0;
    return count;
}

std::int64_t TensorRef::byteCount() const {
    std::int64_t bytes = 0;
    const auto size = static_cast<std::int64_t>(elementSize(dtype));
    if (__builtin_mul_overflow(elementCount(), size, &bytes)) return 0;
    const std::int64_t shared = elementsPerByte(dtype);
    return bytes / shared + (bytes % shared != 0);
}

bool TensorRef::isContiguous() const {
    std::int64_t expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 0) return true;
        if (sizes[i] == 1) continue;
        if (i >= strides.size() || strides[i] != expected) return false;
        expected *= sizes[i];
    }
    return true;
}

std::string TensorRef::geometryProblem() const {
    if (sizes.size() > 64) return "more than 64 dimensions";
    if (strides.size() != sizes.size()) return "sizes and strides differ in length";
    if (offset < 0) return "a negative offset";
    std::int64_t count = 1, last = offset, reach = 0;
    bool empty = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0) return "a negative size";
        if (strides[i] < 0) return "a negative stride";
        empty |= sizes[i] == 0;
        if (sizes[i] > 0 && __builtin_mul_overflow(count, sizes[i], &count)) return "more elements than 64 bits count";
        if (sizes[i] > 1 &&
            (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) || __builtin_add_overflow(last, reach, &last)))
            return "strides that overflow";
    }
    const auto size = static_cast<std::int64_t>(elementSize(dtype));
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return "more bytes than 64 bits count";
    if (!storage || empty || size == 0) return {};
    const std::int64_t shared = elementsPerByte(dtype);
    if (shared > 1 && (offset != 0 || !isContiguous())) return "a part of elements that share bytes";
    last /= shared;
    if (__builtin_add_overflow(last, std::int64_t{1}, &last) || __builtin_mul_overflow(last, size, &bytes) ||
        static_cast<std::uint64_t>(bytes) > storage->byteCount())
        return "elements past the end of its storage";
    return {};
}

} // namespace fx

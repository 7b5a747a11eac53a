// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/encode_elements.h"

#include "core/tensor/elements.h"
#include "core/tensor/row_major.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace fx {
namespace {

template<class T> void put(T value, std::byte* out) { std::memcpy(out, &value, sizeof value); }

/// To the nearest, ties to even.
std::uint16_t bfloat16Of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return 0x7FC0;
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t float16Of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    const float size = std::fabs(value);
    const auto with = [&](std::uint32_t rest) { return static_cast<std::uint16_t>(sign | rest); };
    if (std::isnan(value)) return with(0x7E00);
    if (size >= 65536.0F) return with(0x7C00);
    if (size < std::ldexp(1.0F, -14)) // without a leading one
        return with(static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 24))));
    const std::uint32_t exact = std::bit_cast<std::uint32_t>(size) - (112U << 23);
    return with((exact + 0xFFF + ((exact >> 13) & 1)) >> 13);
}

} // namespace

bool canEncode(DType dtype) {
    switch (dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64:
    case DType::Bool:
    case DType::UInt8:
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64: return true;
    default: return false;
    }
}

void encodeElement(DType dtype, double value, std::byte* out) {
    switch (dtype) {
    case DType::Float16: return put(float16Of(static_cast<float>(value)), out);
    case DType::BFloat16: return put(bfloat16Of(static_cast<float>(value)), out);
    case DType::Float32: return put(static_cast<float>(value), out);
    case DType::Float64: return put(value, out);
    case DType::Bool: return put(static_cast<std::uint8_t>(value != 0), out);
    case DType::UInt8: return put(static_cast<std::uint8_t>(value), out);
    case DType::Int8: return put(static_cast<std::int8_t>(value), out);
    case DType::Int16: return put(static_cast<std::int16_t>(value), out);
    case DType::Int32: return put(static_cast<std::int32_t>(value), out);
    case DType::Int64: return put(static_cast<std::int64_t>(value), out);
    default: return;
    }
}

double roundedTo(DType dtype, double value) {
    std::byte bytes[8];
    double out = 0;
    encodeElement(dtype, value, bytes);
    decodeElements(dtype, bytes, 0, 1, &out);
    return out;
}

TensorPtr converted(const TensorRef& tensor, DType dtype, const Progress& progress) {
    if (!canEncode(dtype) || !canEncode(tensor.dtype)) return nullptr;
    ElementStream stream(tensor, ElementStream::Order::Logical);
    checkExpansion(tensor);
    const std::size_t size = elementSize(dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.elementCount()) * size);
    stream.visit(0, stream.count(), progress, [&](const ElementStream::Run& run) {
        for (std::size_t i = 0; i < run.count; ++i) {
            const std::int64_t at = run.logical + static_cast<std::int64_t>(i) * run.logicalStep;
            encodeElement(dtype, run.values[i], bytes.data() + static_cast<std::size_t>(at) * size);
        }
    });
    auto out = std::make_shared<TensorRef>(tensor);
    out->dtype = dtype, out->offset = 0, out->origin = {};
    out->strides = rowMajorStrides(out->sizes);
    out->storage = Storage::inMemory(std::move(bytes));
    return out;
}

} // namespace fx

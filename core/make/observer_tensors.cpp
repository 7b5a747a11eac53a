// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/observer_tensors.h"

#include "core/tensor/row_major.h"

#include <algorithm>
#include <cstring>

namespace fx::quant {
namespace {

TensorPtr tensorOf(DType dtype, std::vector<std::int64_t> sizes, std::shared_ptr<const Storage> storage) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtype;
    tensor->strides = rowMajorStrides(sizes);
    tensor->sizes = std::move(sizes);
    tensor->storage = std::move(storage);
    return tensor;
}

template<class T, class From> std::vector<std::byte> bytesOf(const std::vector<From>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
}

TensorPtr tensorOf(DType dtype, std::vector<std::int64_t> sizes, std::vector<std::byte> bytes) {
    return tensorOf(dtype, std::move(sizes), Storage::inMemory(std::move(bytes)));
}

} // namespace

TensorPtr floatTensor(const std::vector<double>& values, std::vector<std::int64_t> sizes) {
    return tensorOf(DType::Float32, std::move(sizes), bytesOf<float>(values));
}

TensorPtr intTensor(const std::vector<std::int64_t>& values, std::vector<std::int64_t> sizes, DType dtype) {
    switch (dtype) {
    case DType::UInt8: return tensorOf(dtype, std::move(sizes), bytesOf<std::uint8_t>(values));
    case DType::Int32: return tensorOf(dtype, std::move(sizes), bytesOf<std::int32_t>(values));
    default: return tensorOf(DType::Int64, std::move(sizes), bytesOf<std::int64_t>(values));
    }
}

TensorPtr zeroTensor(std::int64_t count) {
    const auto zeros = [](std::uint64_t, std::span<std::byte> out) { std::fill(out.begin(), out.end(), std::byte{}); };
    return tensorOf(DType::Float32, {count},
                    Storage::through(static_cast<std::uint64_t>(count) * sizeof(float), zeros));
}

} // namespace fx::quant

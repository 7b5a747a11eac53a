// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/initial_weights.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace fx {
namespace {

TensorPtr tensorOf(const std::vector<std::int64_t>& sizes, const std::vector<float>& values, bool isParameter) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->sizes = sizes;
    tensor->strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) tensor->strides[i - 1] = tensor->strides[i] * std::max<std::int64_t>(sizes[i], 1);
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor->storage = Storage::inMemory(std::move(bytes));
    tensor->isParameter = tensor->requiresGrad = isParameter;
    return tensor;
}

std::size_t elements(const std::vector<std::int64_t>& sizes) {
    return static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()));
}

} // namespace

TensorPtr TorchGenerator::uniform(const std::vector<std::int64_t>& sizes, double from, double to) {
    constexpr int kDigits = std::numeric_limits<float>::digits;
    constexpr std::uint32_t kMask = (1u << kDigits) - 1;
    constexpr float kStep = 1.0f / (1u << kDigits);
    const float low = static_cast<float>(from), high = static_cast<float>(to);
    std::vector<float> values(elements(sizes));
    // PyTorch's kernel is compiled with fused multiply-add: one rounding.
    for (float& value : values) value = std::fma(static_cast<float>(static_cast<std::uint32_t>(m_engine()) & kMask) * kStep, high - low, low);
    return tensorOf(sizes, values, true);
}

TensorPtr filledTensor(const std::vector<std::int64_t>& sizes, float value, bool isParameter) {
    return tensorOf(sizes, std::vector<float>(elements(sizes), value), isParameter);
}

TensorPtr zeroCounter() {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = DType::Int64;
    tensor->storage = Storage::inMemory(std::vector<std::byte>(8));
    return tensor;
}

} // namespace fx

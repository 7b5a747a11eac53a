// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/initial_weights.h"

#include "core/make/normal_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace fx {
namespace {

TensorPtr tensorOf(const std::vector<std::int64_t>& sizes, const std::vector<float>& values, bool isParameter) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->sizes = sizes;
    tensor->strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        tensor->strides[i - 1] = tensor->strides[i] * std::max<std::int64_t>(sizes[i], 1);
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

/// 24 random bits: a number in [0, 1).
float TorchGenerator::nextUniform() {
    constexpr int kDigits = std::numeric_limits<float>::digits;
    constexpr std::uint32_t kMask = (1u << kDigits) - 1;
    return static_cast<float>(static_cast<std::uint32_t>(m_engine()) & kMask) * (1.0f / (1u << kDigits));
}

TensorPtr TorchGenerator::uniform(const std::vector<std::int64_t>& sizes, double from, double to) {
    const float low = static_cast<float>(from), high = static_cast<float>(to);
    std::vector<float> values(elements(sizes));
    // PyTorch's kernel is compiled with fused multiply-add: one rounding.
    for (float& value : values) value = std::fma(nextUniform(), high - low, low);
    return tensorOf(sizes, values, true);
}

/// at::normal_distribution<double>: pairs by Box-Muller, from 53 random bits each.
double TorchGenerator::nextNormal() {
    if (m_spareNormal) return *std::exchange(m_spareNormal, std::nullopt);
    const auto uniform = [&] {
        constexpr std::uint64_t kMask = (std::uint64_t{1} << 53) - 1;
        const std::uint64_t high = m_engine(), low = m_engine();
        return static_cast<double>(((high << 32) | low) & kMask) * (1.0 / static_cast<double>(std::uint64_t{1} << 53));
    };
    const double first = uniform(), second = uniform();
    const double radius = std::sqrt(-2.0 * std::log1p(-second)), angle = 2.0 * std::numbers::pi * first;
    m_spareNormal = radius * std::sin(angle);
    return radius * std::cos(angle);
}

TensorPtr TorchGenerator::normal(const std::vector<std::int64_t>& sizes, double mean, double deviation) {
    constexpr std::size_t kBlock = 16; // smaller tensors go another way in PyTorch
    std::vector<float> values(elements(sizes));
    if (values.size() < kBlock) {
        for (float& value : values) value = static_cast<float>(nextNormal() * deviation + mean);
        return tensorOf(sizes, values, true);
    }
    const auto transform = [&](std::size_t at) {
        makeNormal16(std::span(values).subspan(at).first<kBlock>(), static_cast<float>(mean),
                     static_cast<float>(deviation));
    };
    for (float& value : values) value = nextUniform();
    for (std::size_t at = 0; at + kBlock <= values.size(); at += kBlock) transform(at);
    if (values.size() % kBlock != 0) { // the last 16 are drawn again
        for (std::size_t i = values.size() - kBlock; i < values.size(); ++i) values[i] = nextUniform();
        transform(values.size() - kBlock);
    }
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

TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(matrix.elementCount()) * sizeof(float));
    matrix.storage->read(0, bytes);
    const std::size_t width = static_cast<std::size_t>(matrix.sizes[1]) * sizeof(float);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(row * width), width, std::byte{0});
    auto tensor = std::make_shared<TensorRef>(matrix);
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

} // namespace fx

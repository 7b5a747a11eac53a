// SPDX-License-Identifier: GPL-3.0-or-later
// Every operation is rounded for itself, as in PyTorch's kernels: compiled without contraction.
#include "core/quant/pt2e/constant_fold.h"
#include "core/tensor/elements.h"
#include "core/tensor/row_major.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fx::quant::pt2e {
namespace {

std::vector<float> floatsOf(const TensorRef& tensor) {
    checkExpansion(tensor);
    std::vector<float> values(static_cast<std::size_t>(tensor.elementCount()));
    if (tensor.isContiguous() && tensor.storage && !tensor.storage->isExpression() && !tensor.negative) {
        tensor.storage->read(static_cast<std::uint64_t>(tensor.offset) * sizeof(float),
                             std::as_writable_bytes(std::span(values)));
        return values;
    }
    const auto all = elementValues(tensor);
    std::copy(all.begin(), all.end(), values.begin());
    return values;
}

bool isPlain(const TensorRef& tensor) {
    return tensor.dtype == DType::Float32 && tensor.storage && tensor.layout == "torch.strided" && !tensor.quantizer &&
           tensor.geometryProblem().empty();
}

} // namespace

TensorPtr quantizedPerChannel(const TensorRef& values, const TensorRef& scales, const TensorRef& zeroPoints,
                              std::int64_t axis, std::int64_t low, std::int64_t high, DType dtype) {
    if ((dtype != DType::Int8 && dtype != DType::UInt8) || !isPlain(values) || !isPlain(scales)) return nullptr;
    const auto dimensions = static_cast<std::int64_t>(values.sizes.size());
    if (axis < 0 || axis >= dimensions || !zeroPoints.storage) return nullptr;
    const std::int64_t channels = values.sizes[static_cast<std::size_t>(axis)];
    if (scales.elementCount() != channels || zeroPoints.elementCount() != channels) return nullptr;
    const std::vector<float> from = floatsOf(values), scale = floatsOf(scales);
    const auto zero = elementValues(zeroPoints);
    std::int64_t inner = 1;
    for (std::int64_t i = axis + 1; i < dimensions; ++i) inner *= values.sizes[static_cast<std::size_t>(i)];
    std::vector<std::byte> bytes(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto channel =
            static_cast<std::size_t>(static_cast<std::int64_t>(i) / std::max<std::int64_t>(inner, 1) % channels);
        const float inverse = 1.0F / scale[channel];
        const float rounded = std::nearbyint(from[i] * inverse) + static_cast<float>(zero[channel]);
        const float clamped = std::min(std::max(rounded, static_cast<float>(low)), static_cast<float>(high));
        bytes[i] = static_cast<std::byte>(static_cast<int>(clamped) & 0xFF);
    }
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtype;
    tensor->sizes = values.sizes;
    tensor->strides = rowMajorStrides(values.sizes);
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

} // namespace fx::quant::pt2e

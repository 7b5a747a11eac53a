// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/folded_weights.h"

#include "core/tensor/elements.h"
#include "core/tensor/row_major.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fx {
namespace {

/// Copied as they are where they lie in a row; decoded otherwise.
template<class T> std::vector<T> valuesOf(const TensorRef& tensor) {
    if (tensor.isContiguous() && tensor.storage && !tensor.storage->isExpression() && !tensor.negative &&
        tensor.layout == "torch.strided" && tensor.geometryProblem().empty()) {
        std::vector<T> values(static_cast<std::size_t>(tensor.elementCount()));
        tensor.storage->read(static_cast<std::uint64_t>(tensor.offset) * sizeof(T),
                             std::as_writable_bytes(std::span(values)));
        return values;
    }
    const auto values = elementValues(tensor);
    return {values.begin(), values.end()};
}

template<class T> TensorPtr tensorOf(const std::vector<T>& values, std::vector<std::int64_t> sizes, bool requiresGrad) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
    tensor->strides = rowMajorStrides(sizes);
    tensor->sizes = std::move(sizes);
    const auto raw = std::as_bytes(std::span(values));
    tensor->storage = Storage::inMemory({raw.begin(), raw.end()});
    tensor->isParameter = true;
    tensor->requiresGrad = requiresGrad;
    return tensor;
}

/// The statistics and parameters of one batch normalisation, per channel.
template<class T> struct Norm {
    std::vector<T> mean, rsqrt, weight, bias;

    explicit Norm(const NormTensors& norm) : mean(valuesOf<T>(*norm.mean)), rsqrt(valuesOf<T>(*norm.variance)) {
        const T eps = static_cast<T>(norm.eps);
        for (T& value : rsqrt)
            value = T(1) / std::sqrt(value + eps); // PyTorch's kernel: a root and a division, each rounded
        weight = norm.weight ? valuesOf<T>(*norm.weight) : std::vector<T>(mean.size(), T(1));
        bias = norm.bias ? valuesOf<T>(*norm.bias) : std::vector<T>(mean.size(), T(0));
    }
};

template<class T> FoldedWeights fold(FoldableKind kind, std::int64_t groups, const TensorPtr& oldWeight,
                                     const TensorPtr& oldBias, const NormTensors& tensors) {
    const Norm<T> norm(tensors);
    std::vector<T> weight = valuesOf<T>(*oldWeight);
    std::vector<T> bias = oldBias ? valuesOf<T>(*oldBias) : std::vector<T>(norm.mean.size(), T(0));
    const auto channel = [&](std::size_t i) { return norm.mean.size() == 1 ? 0 : i; };
    const auto scale = [&](std::size_t i) { return norm.weight[channel(i)] * norm.rsqrt[channel(i)]; };
    // A weight is rows of planes; all of a plane belong to one channel: its row, or for transposed convolutions its
    // place in the row and the group of the row.
    const bool transposed = kind == FoldableKind::Transposed;
    const auto size = [&](std::size_t i) {
        return static_cast<std::size_t>(std::max<std::int64_t>(oldWeight->sizes[i], 1));
    };
    const std::size_t rows = size(0), planes = transposed ? size(1) : 1, each = weight.size() / (rows * planes),
                      rowsOfGroup =
                          std::max<std::size_t>(rows / static_cast<std::size_t>(std::max<std::int64_t>(groups, 1)), 1);
    for (std::size_t i = 0; i < rows && !weight.empty(); ++i)
        for (std::size_t j = 0; j < planes; ++j) {
            const T by = scale(transposed ? i / rowsOfGroup * planes + j : i);
            T* plane = weight.data() + (i * planes + j) * each;
            for (std::size_t k = 0; k < each; ++k) plane[k] *= by;
        }
    for (std::size_t i = 0; i < bias.size(); ++i) {
        const std::size_t k = channel(i);
        const T centred = bias[i] - norm.mean[k];
        const T scaled = kind == FoldableKind::Linear ? centred * scale(i) : centred * norm.rsqrt[k] * norm.weight[k];
        bias[i] = scaled + norm.bias[k];
    }
    return {tensorOf(weight, oldWeight->sizes, oldWeight->requiresGrad),
            tensorOf(bias, {static_cast<std::int64_t>(bias.size())}, oldBias && oldBias->requiresGrad)};
}

} // namespace

std::int64_t channelsOf(FoldableKind kind, const TensorRef& weight, std::int64_t groups) {
    if (kind == FoldableKind::Linear ? weight.sizes.size() != 2 : weight.sizes.size() < 2) return -1;
    if (kind != FoldableKind::Transposed) return weight.sizes[0];
    const std::int64_t rows = weight.sizes[0];
    return groups < 1 || groups > rows || rows % groups != 0 ? -1 : weight.sizes[1] * groups;
}

bool fitsNorm(FoldableKind kind, std::int64_t groups, const TensorRef& weight, const TensorPtr& bias,
              const NormTensors& norm) {
    const std::int64_t channels = channelsOf(kind, weight, groups), features = norm.mean->elementCount();
    if (channels < 1 || (features != channels && (features != 1 || kind != FoldableKind::Linear))) return false;
    if (bias && bias->elementCount() != channels && bias->elementCount() != features) return false;
    const auto fits = [&](const TensorPtr& each) { return !each || each->elementCount() == features; };
    return fits(norm.variance) && fits(norm.weight) && fits(norm.bias);
}

bool canFold(const TensorRef& weight, const TensorPtr& bias, const NormTensors& norm) {
    if (weight.dtype != DType::Float32 && weight.dtype != DType::Float64) return false;
    for (const TensorPtr* tensor : {&bias, &norm.mean, &norm.variance, &norm.weight, &norm.bias})
        if (*tensor && (*tensor)->dtype != weight.dtype) return false;
    return true;
}

FoldedWeights foldNorm(FoldableKind kind, std::int64_t groups, const TensorPtr& weight, const TensorPtr& bias,
                       const NormTensors& norm) {
    return weight->dtype == DType::Float64 ? fold<double>(kind, groups, weight, bias, norm)
                                           : fold<float>(kind, groups, weight, bias, norm);
}

} // namespace fx

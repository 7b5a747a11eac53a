// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/onednn/norm_kernel.h"

#include "core/onednn/fused_layer.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fx::engine {
namespace {

using Lanes __attribute__((vector_size(16))) = float;
constexpr std::int64_t kLanes = 4;

template<bool relu>
void normalise(const float* x, const float* scale, const float* shift, float* out, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Lanes value, factor, offset;
        std::memcpy(&value, x + i, sizeof value);
        std::memcpy(&factor, scale + i, sizeof factor);
        std::memcpy(&offset, shift + i, sizeof offset);
        value = value * factor + offset;
        if constexpr (relu) value = value < 0.0f ? Lanes{} : value; // NaN stays
        std::memcpy(out + i, &value, sizeof value);
    }
    for (; i < count; ++i) {
        const float value = x[i] * scale[i] + shift[i];
        out[i] = relu && value < 0 ? 0 : value;
    }
}

struct Part {
    const float* data;
    std::int64_t channels;
};

std::vector<float> numbersOf(TensorStore& tensors, const TensorPtr& tensor, std::size_t count, float otherwise) {
    if (!tensor) return std::vector<float>(count, otherwise);
    const at::Tensor values = tensors.tensor(tensor).contiguous();
    const float* data = values.const_data_ptr<float>();
    return {data, data + values.numel()};
}

} // namespace

NormKernel::NormKernel(const GraphModule& graph, onednn::FusedNorm norm, std::shared_ptr<TensorStore> tensors)
    : m_norm(std::move(norm)), m_tensors(std::move(tensors)) {
    std::vector<NodeId> inputs;
    for (const Node& node : graph.graph.nodes())
        if (node.op() == Op::Placeholder) inputs.push_back(node.id());
    for (const NodeId part : m_norm.parts)
        m_parts.push_back(static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), part) - inputs.begin()));
}

std::unique_ptr<NormKernel> NormKernel::of(const Module& module, const std::shared_ptr<TensorStore>& tensors) {
    if (onednn::kernelOf(module) != onednn::Kernel::OnePass) return nullptr;
    auto norm = onednn::asFusedNorm(*module.graphModule);
    return norm ? std::make_unique<NormKernel>(*module.graphModule, *std::move(norm), tensors) : nullptr;
}

void NormKernel::readStatistics() {
    const auto mean = numbersOf(*m_tensors, m_norm.mean, 0, 0);
    const auto variance = numbersOf(*m_tensors, m_norm.variance, 0, 0);
    m_scale = numbersOf(*m_tensors, m_norm.weight, mean.size(), 1);
    m_shift = numbersOf(*m_tensors, m_norm.bias, mean.size(), 0);
    if (variance.size() != mean.size() || m_scale.size() != mean.size() || m_shift.size() != mean.size())
        m_scale.clear(); // fits no value: the graph says what is wrong
    for (std::size_t i = 0; i < m_scale.size(); ++i) {
        m_scale[i] *= 1 / std::sqrt(variance[i] + static_cast<float>(m_norm.eps));
        m_shift[i] -= mean[i] * m_scale[i];
    }
}

std::optional<Value> NormKernel::run(const Values& inputs) {
    std::vector<Part> parts;
    std::vector<std::int64_t> sizes;
    std::int64_t channels = 0;
    for (const std::size_t place : m_parts) {
        if (place >= inputs.size() || !inputs[place].isTensor()) return std::nullopt;
        const at::Tensor& x = inputs[place].tensor();
        if (x.dim() != 4 && x.dim() != 5) return std::nullopt;
        const auto format = x.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
        if (x.scalar_type() != at::kFloat || !x.device().is_cpu() || x.layout() != at::kStrided || x.numel() == 0 ||
            !x.is_contiguous(format))
            return std::nullopt;
        channels += x.size(1);
        auto itsSizes = x.sizes().vec();
        itsSizes[1] = 0;
        if (!parts.empty() && itsSizes != sizes) return std::nullopt;
        sizes = std::move(itsSizes);
        parts.push_back({x.const_data_ptr<float>(), x.size(1)});
    }
    if (m_scale.empty()) readStatistics();
    if (parts.empty() || channels != static_cast<std::int64_t>(m_scale.size())) return std::nullopt;
    sizes[1] = channels;
    const auto format = sizes.size() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
    const at::Tensor out = at::detail::empty_cpu(sizes, at::kFloat, false, format);
    float* target = out.mutable_data_ptr<float>();
    const auto row = m_norm.relu ? normalise<true> : normalise<false>;
    at::parallel_for(0, out.numel() / channels, std::max<std::int64_t>(1, 16384 / channels),
                     [&](std::int64_t from, std::int64_t to) {
                         for (std::int64_t pixel = from; pixel < to; ++pixel) {
                             std::int64_t channel = 0;
                             for (const Part& part : parts) {
                                 row(part.data + pixel * part.channels, &m_scale[static_cast<std::size_t>(channel)],
                                     &m_shift[static_cast<std::size_t>(channel)], target + pixel * channels + channel,
                                     part.channels);
                                 channel += part.channels;
                             }
                         }
                     });
    return Value(out);
}

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/onednn/packed_layer.h"

#include "core/engine/machine.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace fx::engine {
namespace {

using LayerKind = onednn::Layer::Kind;
using CallStack = std::vector<c10::IValue>;

const Kernel& kernelNamed(const char* name) {
    const Kernel* kernel = findKernel(name);
    if (!kernel) throw runError(Message("engine.unknown_operator", {{"name", name}}));
    return *kernel;
}

at::Tensor callStack(const char* name, CallStack stack) {
    runKernel(kernelNamed(name), stack);
    return stack.at(0).toTensor();
}

/// The activation by ATen's own kernel, in place.
void activate(const onednn::Activation& activation, at::Tensor& value) {
    CallStack stack{value};
    for (const double number : activation.numbers) stack.emplace_back(at::Scalar(number));
    if (!activation.algorithm.empty()) stack.emplace_back(activation.algorithm);
    runKernel(kernelNamed(("aten::" + activation.name + "_").c_str()), stack);
}

std::int64_t rowsOf(const at::Tensor& x) { return x.numel() / std::max<std::int64_t>(x.size(-1), 1); }

/// Nobody else holds the tensor or its memory: one reference in the register, one in the arguments.
bool isAlone(const at::Tensor& tensor) { return tensor.use_count() == 2 && tensor.storage().use_count() == 1; }

} // namespace

PackedLayer::PackedLayer(const GraphModule& graph, onednn::FusedLayer layer, onednn::Kernel kernel,
                         std::shared_ptr<TensorStore> tensors)
    : m_layer(std::move(layer)), m_kernel(kernel), m_tensors(std::move(tensors)) {
    std::int32_t place = 0;
    for (const Node& node : graph.graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        if (node.id() == m_layer.layer.input) m_input = place;
        if (node.id() == m_layer.other) m_other = place;
        ++place;
    }
    if (m_layer.activation)
        for (const double number : m_layer.activation->numbers) m_scalars.push_back(at::Scalar(number));
}

std::unique_ptr<PackedLayer> PackedLayer::of(const Module& module, const std::shared_ptr<TensorStore>& tensors) {
    const auto kernel = onednn::kernelOf(module);
    if (!kernel) return nullptr;
    auto layer = onednn::asFusedLayer(*module.graphModule);
    return layer ? std::make_unique<PackedLayer>(*module.graphModule, *std::move(layer), *kernel, tensors) : nullptr;
}

std::optional<Value> PackedLayer::run(const Values& inputs, bool mayWrite) {
    const auto tensorAt = [&](std::int32_t place) -> const at::Tensor* {
        const auto at = static_cast<std::size_t>(place);
        return place >= 0 && at < inputs.size() && inputs[at].isTensor() ? &inputs[at].tensor() : nullptr;
    };
    const at::Tensor *x = tensorAt(m_input), *other = tensorAt(m_other);
    if (!m_problem.empty() || !x || (m_other >= 0 && !other)) return std::nullopt;
    if (at::GradMode::is_enabled() && !x->is_inference()) return std::nullopt;
    try {
        if (m_sizes != x->sizes() || m_threads != threads()) {
            m_weight = m_tensors->tensor(m_layer.layer.weight);
            m_bias = m_layer.layer.bias ? c10::IValue(m_tensors->tensor(m_layer.layer.bias)) : c10::IValue();
            if (!takes(*x, other)) return std::nullopt;
            pack(*x);
        } else if (!takes(*x, other)) {
            return std::nullopt;
        }
        // One argument may be both: a convolution must not write into what it reads.
        const bool inPlace = mayWrite && other && m_other != m_input && isAlone(*other);
        return Value(call(*x, other, inPlace));
    } catch (const std::bad_alloc&) { throw; } catch (const std::exception& error) {
        m_problem = messageOf(error);
        return std::nullopt;
    }
}

bool PackedLayer::takes(const at::Tensor& x, const at::Tensor* other) const {
    const at::Tensor& w = m_weight;
    if (!x.device().is_cpu() || !w.device().is_cpu() || x.layout() != at::kStrided || x.numel() == 0) return false;
    if (x.scalar_type() != w.scalar_type() || at::autocast::is_autocast_enabled(at::kCPU)) return false;
    if (other && (other->scalar_type() != x.scalar_type() || !other->device().is_cpu())) return false;
    const onednn::Layer& layer = m_layer.layer;
    if (layer.kind == LayerKind::Linear) {
        if (x.dim() < 2 || x.size(-1) != w.size(1)) return false;
        auto sizes = x.sizes().vec();
        sizes.back() = w.size(0);
        return !other || other->sizes() == sizes;
    }
    const std::int64_t channels = layer.kind == LayerKind::Convolution ? w.size(1) * layer.groups : w.size(0);
    if (x.dim() != w.dim() || x.size(1) != channels) return false;
    if (layer.kind == LayerKind::Transposed) return true;
    auto sizes = x.sizes().vec();
    sizes[1] = w.size(0);
    for (std::size_t i = 0; i < layer.stride.size(); ++i) {
        const std::int64_t kernel = layer.dilation[i] * (w.size(static_cast<std::int64_t>(i) + 2) - 1) + 1;
        const std::int64_t room = sizes[i + 2] + 2 * layer.padding[i] - kernel;
        if (room < 0) return false;
        sizes[i + 2] = room / layer.stride[i] + 1;
    }
    return !other || other->sizes() == sizes;
}

void PackedLayer::pack(const at::Tensor& x) {
    const onednn::Layer& layer = m_layer.layer;
    const auto sizes = x.sizes().vec();
    const at::Tensor weight = m_weight.detach().contiguous();
    if (layer.kind == LayerKind::Convolution)
        m_packed = callStack("mkldnn::_reorder_convolution_weight",
                             {weight, layer.padding, layer.stride, layer.dilation, layer.groups, sizes});
    else if (layer.kind == LayerKind::Transposed)
        m_packed =
            callStack("mkldnn::_reorder_convolution_transpose_weight",
                      {weight, layer.padding, layer.outputPadding, layer.stride, layer.dilation, layer.groups, sizes});
    else if (m_kernel == onednn::Kernel::Mkl)
        m_packed = callStack("mkl::_mkl_reorder_linear_weight", {weight, rowsOf(x)});
    else m_packed = callStack("mkldnn::_reorder_linear_weight", {weight, rowsOf(x)});
    m_sizes = sizes, m_threads = threads();
}

void PackedLayer::addActivation(Stack& stack) const {
    const auto& activation = m_layer.activation;
    stack.emplace_back(activation ? activation->attribute : "none");
    stack.emplace_back(m_scalars);
    stack.emplace_back(activation ? activation->algorithm : "");
}

at::Tensor PackedLayer::call(const at::Tensor& x, const at::Tensor* other, bool inPlace) const {
    if (m_layer.layer.kind != LayerKind::Linear) return convolution(x, other, inPlace);
    return m_kernel == onednn::Kernel::Mkl ? mklLinear(x, other) : linear(x, other);
}

at::Tensor PackedLayer::convolution(const at::Tensor& x, const at::Tensor* other, bool inPlace) const {
    const onednn::Layer& layer = m_layer.layer;
    Stack stack{x};
    if (layer.kind == LayerKind::Transposed) {
        for (const auto& each :
             {c10::IValue(m_packed), m_bias, c10::IValue(layer.padding), c10::IValue(layer.outputPadding),
              c10::IValue(layer.stride), c10::IValue(layer.dilation), c10::IValue(layer.groups)})
            stack.push_back(each);
        addActivation(stack);
        return callStack("mkldnn::_convolution_transpose_pointwise", std::move(stack));
    }
    const auto format = x.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
    inPlace = inPlace && other->is_contiguous(format);
    if (other) stack.insert(inPlace ? stack.begin() : stack.end(), c10::IValue(*other));
    for (const auto& each : {c10::IValue(m_packed), m_bias, c10::IValue(layer.padding), c10::IValue(layer.stride),
                             c10::IValue(layer.dilation), c10::IValue(layer.groups)})
        stack.push_back(each);
    if (!other) {
        addActivation(stack);
        return callStack("mkldnn::_convolution_pointwise", std::move(stack));
    }
    stack.emplace_back("add");
    stack.emplace_back(); // alpha
    stack.emplace_back(m_layer.activation ? c10::IValue(m_layer.activation->attribute) : c10::IValue());
    stack.emplace_back(m_scalars);
    stack.emplace_back(); // algorithm
    return callStack(inPlace ? "mkldnn::_convolution_pointwise_.binary" : "mkldnn::_convolution_pointwise.binary",
                     std::move(stack));
}

at::Tensor PackedLayer::linear(const at::Tensor& x, const at::Tensor* other) const {
    if (other) return callStack("mkldnn::_linear_pointwise.binary", {x, *other, m_packed, m_bias, "add"});
    Stack stack{x, m_packed, m_bias};
    addActivation(stack);
    return callStack("mkldnn::_linear_pointwise", std::move(stack));
}

/// MKL knows the product alone; the rest follows in place.
at::Tensor PackedLayer::mklLinear(const at::Tensor& x, const at::Tensor* other) const {
    at::Tensor out = callStack("mkl::_mkl_linear", {x, m_packed, m_weight, m_bias, rowsOf(x)});
    if (other) out = callStack("aten::add_.Tensor", {out, *other, at::Scalar(1)});
    if (m_layer.activation) activate(*m_layer.activation, out);
    return out;
}

} // namespace fx::engine

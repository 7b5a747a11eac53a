// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/dispatch.h"
#include "core/engine/tensor_store.h"
#include "core/onednn/fused_layer.h"

#include <ATen/core/ivalue.h>

namespace fx::engine {

/// A fused layer (core/onednn) as one call of oneDNN or MKL, with its weights packed for the sizes of its input and the
/// number of threads; packed anew when either changes, since packed weights run slower under another number of threads.
/// Convolutions take any memory format and give channels_last. Sources: mkldnn:: and mkl:: operators of PyTorch.
class PackedLayer {
public:
    /// `layer` is that of `graph`, which must live as long as this.
    PackedLayer(const GraphModule& graph, onednn::FusedLayer layer, onednn::Kernel kernel,
                std::shared_ptr<TensorStore> tensors);
    /// The layer that a module asks for by its attribute, or null.
    static std::unique_ptr<PackedLayer> of(const Module& module, const std::shared_ptr<TensorStore>& tensors);

    /// The value of the layer for the inputs of its graph, in order; nullopt if the kernel does not take them (types,
    /// sizes, gradients, autocast): then the graph must be run, which also reports what is wrong. `mayWrite`: the value
    /// that is added is not used any more; it is overwritten if nobody else holds it.
    std::optional<Value> run(const Values& inputs, bool mayWrite);
    /// The place of the added value among the inputs, or -1.
    std::int32_t other() const { return m_other; }
    /// Why `run` gave nothing, in the library's words; empty if it has not been tried.
    const std::string& problem() const { return m_problem; }

private:
    using Stack = std::vector<c10::IValue>;
    bool takes(const at::Tensor& x, const at::Tensor* other) const;
    void pack(const at::Tensor& x);
    at::Tensor call(const at::Tensor& x, const at::Tensor* other, bool inPlace) const;
    at::Tensor convolution(const at::Tensor& x, const at::Tensor* other, bool inPlace) const;
    at::Tensor linear(const at::Tensor& x, const at::Tensor* other) const;
    at::Tensor mklLinear(const at::Tensor& x, const at::Tensor* other) const;
    void addActivation(Stack& stack) const;

    onednn::FusedLayer m_layer;
    onednn::Kernel m_kernel;
    std::shared_ptr<TensorStore> m_tensors;
    std::int32_t m_input = -1, m_other = -1; ///< places among the inputs of the graph
    std::vector<std::int64_t> m_sizes;       ///< that the weights are packed for
    int m_threads = 0;                       ///< likewise
    at::Tensor m_packed, m_weight;
    c10::IValue m_bias;
    c10::List<std::optional<at::Scalar>> m_scalars;
    std::string m_problem;
};

} // namespace fx::engine

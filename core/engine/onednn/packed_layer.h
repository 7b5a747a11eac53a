// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/dispatch.h"
#include "core/engine/tensor_store.h"
#include "core/onednn/fused_layer.h"

#include <ATen/core/ivalue.h>

namespace fx::engine {

/// Runs a fused layer (core/onednn) as one call of oneDNN or MKL, with weights packed for the sizes of its input and
/// the number of threads. Packs them again when either changes, since packed weights are slower with another number of
/// threads. Convolutions accept any memory format and return channels_last. Uses the mkldnn:: and mkl:: operators of
/// PyTorch.
class PackedLayer {
public:
    /// `layer` is the fused layer of `graph`; keeps no reference to the graph.
    PackedLayer(const GraphModule& graph, onednn::FusedLayer layer, onednn::Kernel kernel,
                std::shared_ptr<TensorStore> tensors);
    /// Returns the layer that a module requests by its attribute, or null.
    static std::unique_ptr<PackedLayer> of(const Module& module, const std::shared_ptr<TensorStore>& tensors);

    /// Returns the value of the layer for the inputs of its graph, in order. Returns nullopt if the kernel does not
    /// support them (types, sizes, gradients, autocast); the caller then runs the graph, which also reports errors.
    /// `mayWrite` means that the added value has no later use; it is overwritten if it has no other owner.
    std::optional<Value> run(const Values& inputs, bool mayWrite);
    /// The index of the added value among the inputs, or -1.
    std::int32_t other() const { return m_other; }
    /// The library's error if `run` returned nullopt; empty if the kernel was not tried.
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
    std::int32_t m_input = -1, m_other = -1; ///< indices of the graph's inputs
    std::vector<std::int64_t> m_sizes;       ///< input sizes that the weights are packed for
    int m_threads = 0;                       ///< number of threads that the weights are packed for
    at::Tensor m_packed, m_weight;
    c10::IValue m_bias;
    c10::List<std::optional<at::Scalar>> m_scalars;
    std::string m_problem;
};

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/onednn/fused_norm.h"

#include <optional>

namespace fx::engine {

/// Computes cat, batch normalisation and relu in one pass (core/onednn/fused_norm.h), for channels_last values.
class NormKernel {
public:
    /// `norm` is the fused norm of `graph`; keeps no reference to the graph.
    NormKernel(const GraphModule& graph, onednn::FusedNorm norm, std::shared_ptr<TensorStore> tensors);
    /// Returns the kernel that a module requests by its attribute, or null.
    static std::unique_ptr<NormKernel> of(const Module& module, const std::shared_ptr<TensorStore>& tensors);

    /// Returns the value for the inputs of its graph, in order. Returns nullopt for values that are not float32, not
    /// channels_last or do not match; the caller then runs the graph, which also reports errors.
    std::optional<Value> run(const Values& inputs);

private:
    void readStatistics();

    onednn::FusedNorm m_norm;
    std::shared_ptr<TensorStore> m_tensors;
    std::vector<std::size_t> m_parts;    ///< indices of the graph's inputs
    std::vector<float> m_scale, m_shift; ///< by channel; computed on first use
};

} // namespace fx::engine

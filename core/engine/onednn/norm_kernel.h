// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/onednn/fused_norm.h"

#include <optional>

namespace fx::engine {

/// cat, batch normalisation and relu in one pass (core/onednn/fused_norm.h), for values that are channels_last.
class NormKernel {
public:
    NormKernel(const GraphModule& graph, onednn::FusedNorm norm, std::shared_ptr<TensorStore> tensors);
    /// The one that a module asks for by its attribute, or null.
    static std::unique_ptr<NormKernel> of(const Module& module, const std::shared_ptr<TensorStore>& tensors);

    /// The value for the inputs of its graph, in order; nullopt for values that are not float32, not channels_last or
    /// do not fit together: then the graph must be run, which also reports what is wrong.
    std::optional<Value> run(const Values& inputs);

private:
    void readStatistics();

    onednn::FusedNorm m_norm;
    std::shared_ptr<TensorStore> m_tensors;
    std::vector<std::size_t> m_parts;    ///< places among the inputs of the graph
    std::vector<float> m_scale, m_shift; ///< of each channel; read for the first values
};

} // namespace fx::engine

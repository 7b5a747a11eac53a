// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/fusion/norm_calls.h"
#include "core/passes/pass.h"

#include <unordered_map>

namespace fx {

/// Decides if a normalisation is over the channels of the layer before it. It is over dimension 1, while the channels
/// of a linear layer are in the last dimension and those of a convolution without batch in the first:
///
///     Linear on [N, F]         BatchNorm over F, the channels     Linear on [N, L, F]    BatchNorm over L
///     convolution on [N,C,L]   BatchNorm over C, the channels     convolution on [C, L]  BatchNorm over L
///
/// Decided by the classes, or by the number of dimensions: from the graph's metadata, else from the worker, which is
/// asked once.
class NormAxis {
public:
    enum class Is : std::uint8_t { Channels, Other, Unknown };

    /// Keeps references. `model` is that of `run` before its changes.
    NormAxis(const PassRun& run, const GraphModule& model) : m_run(run), m_model(model) {}

    /// Unknown, too, if the inputs of the model are guesses: other inputs may have other dimensions.
    Is of(const FoldableLayer& layer, const FoldableNorm& norm);

private:
    void askWorker();

    const PassRun& m_run;
    const GraphModule& m_model;
    bool m_asked = false;
    std::unordered_map<std::string, std::size_t> m_dimensions; ///< by node name, from the worker
};

} // namespace fx

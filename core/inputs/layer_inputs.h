// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// What a layer takes at one of its inputs.
struct LayerInput {
    std::vector<std::int64_t> sizes;
    int batchDim = 0;
    bool assumed = false; ///< a size other than the batch was made up
    bool weak = false; ///< only how many dimensions there are, or what it is broadcast with: layers further on say more
    std::string dtype = "torch.float32";
    std::int64_t high = 0; ///< of integers: they must be below
    std::string reason;    ///< "takes 3 channels; 224×224 is a usual size"
};

/// What a module takes as its input number `place`; nullopt when its class says nothing about it.
std::optional<LayerInput> moduleInput(const Module& module, std::size_t place);

/// What a function takes as its argument `place` when it is a layer with its weights as arguments (`linear`, `conv2d`,
/// `embedding`, `matmul`, `layer_norm`, their ATen forms). `tensorOf` gives an argument that is a parameter, buffer or
/// constant, null for others.
std::optional<LayerInput> functionInput(const Node& node, std::size_t place,
                                        const std::function<const TensorRef*(const Argument&)>& tensorOf);

/// Whether the node gives a tensor of the shape of its tensor arguments, or of what they are broadcast to: activations,
/// arithmetic, dropout, casts, normalisations.
bool keepsShape(const Node& node, const Module* module);

} // namespace fx

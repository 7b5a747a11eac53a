// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// The assumed length of sequences.
inline constexpr std::int64_t kLength = 16;

/// The input that a layer expects.
struct LayerInput {
    std::vector<std::int64_t> sizes;
    int batchDim = 0;
    bool assumed = false; ///< a size other than the batch size is assumed
    bool weak = false;    ///< only the rank or a broadcast shape is known; later layers may determine more
    std::string dtype = "torch.float32";
    std::int64_t high = 0;                    ///< exclusive upper bound of integers
    bool isTable() const { return high > 0; } ///< the input indexes a table
    Message reason; ///< without the layer's name: "takes 3 channels; 224×224 is a usual size"
};

/// Returns the input that a module expects at index `place`; nullopt if its class does not determine it.
std::optional<LayerInput> moduleInput(const Module& module, std::size_t place);

/// Returns the argument that a function expects at index `place`, if the function is a layer with its weights as
/// arguments (`linear`, `conv2d`, `embedding`, `matmul`, `layer_norm`, their ATen forms). `tensorOf` returns the tensor
/// of an argument that is a parameter, buffer or constant, else null.
std::optional<LayerInput> functionInput(const Node& node, std::size_t place,
                                        const std::function<const TensorRef*(const Argument&)>& tensorOf);

/// Returns the input that a quantised operator expects, given the module of its packed weight; nullopt for other
/// modules.
std::optional<LayerInput> packedInput(const Module& packed);

/// Returns the input expected as item `item` of a list, the argument at index `place`: an index into dimension `item`
/// of a tensor.
std::optional<LayerInput> indexInput(const Node& node, std::size_t place, std::size_t item,
                                     const std::function<const TensorRef*(const Argument&)>& tensorOf);

/// Returns true if the result contains the elements of the tensor arguments, rearranged, converted or shifted: views,
/// `cat`, `long`, `add`.
bool keepsElements(const Node& node);

/// Returns true if the result has the (broadcast) shape of the tensor arguments: activations, arithmetic, dropout,
/// casts, normalisations.
bool keepsShape(const Node& node, const Module* module);

} // namespace fx

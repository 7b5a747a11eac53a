// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/torch_file.h"
#include "core/module/module.h"

namespace fx {

/// Packed weights of quantised layers, which PyTorch keeps as ScriptObjects, as modules: the class is that of the
/// object
/// ("__torch__.torch.classes.quantized.LinearPackedParamsBase"), attributes are `weight`, `bias`, and for convolutions
/// `stride`, `padding`, `output_padding`, `dilation`, `groups` and `transposed`.
constexpr std::string_view kPackedClasses = "__torch__.torch.classes.quantized.";
/// The same of a recurrent cell: children `weight_ih` and `weight_hh` are packed linear layers, and attributes
/// `bias_ih`, `bias_hh` and `reduce_range` are there unless the weights are float16.
constexpr std::string_view kCellClass = "__torch__.torch.classes.rnn.CellParamsBase";

/// Null for other objects, and for forms that PyTorch 2.13 does not write.
std::shared_ptr<Module> readPackedParams(TorchFile& file, PickleRef object);
/// The same of an object of a TorchScript file, by its class and state.
std::shared_ptr<Module> readPackedState(TorchFile& file, const std::string& className, PickleRef state);

/// Whether a module stands for packed weights.
bool isPackedParams(const Module& module);
/// Whether attributes of a module are pickled as its ScriptObject: `weight` and `bias` of a LinearPackedParams,
/// `weight` of an EmbeddingPackedParams. The name of that field, else empty.
std::string_view packedField(const Module& module);

/// Whether PyTorch pickles a module with a tuple as its state, which `torch.load` then cannot read: quantised
/// convolutions.
bool hasStateTuple(const Module& module);

} // namespace fx

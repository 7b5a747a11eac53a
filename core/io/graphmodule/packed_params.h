// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/torch_file.h"
#include "core/module/module.h"

namespace fx {

/// Classes of packed weights of quantised layers, which PyTorch keeps as ScriptObjects and Lancet as modules. The class
/// of such a module is that of the object ("__torch__.torch.classes.quantized.LinearPackedParamsBase"). Attributes are
/// `weight`, `bias`, and for convolutions `stride`, `padding`, `output_padding`, `dilation`, `groups` and `transposed`.
constexpr std::string_view kPackedClasses = "__torch__.torch.classes.quantized.";
/// The same for a recurrent cell: children `weight_ih` and `weight_hh` are packed linear layers. Attributes `bias_ih`,
/// `bias_hh` and `reduce_range` exist unless the weights are float16.
constexpr std::string_view kCellClass = "__torch__.torch.classes.rnn.CellParamsBase";

/// Reads packed weights; null for other objects, and for forms that PyTorch 2.13 does not write.
std::shared_ptr<Module> readPackedParams(TorchFile& file, PickleRef object);
/// The same for an object of a TorchScript file, from its class and state.
std::shared_ptr<Module> readPackedState(TorchFile& file, const std::string& className, PickleRef state);

/// Returns true if the module represents packed weights.
bool isPackedParams(const Module& module);
/// Returns the field that pickles attributes of a module as a ScriptObject: `weight` and `bias` of a
/// LinearPackedParams, `weight` of an EmbeddingPackedParams. Empty for other modules.
std::string_view packedField(const Module& module);

/// Returns true if PyTorch pickles the module with a tuple as its state, which `torch.load` cannot read: quantised
/// convolutions.
bool hasStateTuple(const Module& module);

} // namespace fx

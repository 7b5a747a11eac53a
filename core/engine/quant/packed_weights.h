// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Packed weights of quantised layers, as arguments of quantised operators. They are packed from `weight` and `bias`
/// on first use, for the engine that LibTorch prefers on this machine (x86), and cached in the tensor store.

/// Returns the weights of a convolution of 1, 2 or 3 dimensions; its attribute `transposed` selects the form.
Value packedConv(const ModuleCall& m, std::int64_t dims);
/// Returns the weights of a Linear, whose child `_packed_params` holds them, or of a LinearPackedParamsBase.
Value packedLinear(const ModuleCall& m);
/// Returns the weights of an Embedding or EmbeddingBag.
Value packedEmbedding(const ModuleCall& m);

/// Returns one linear part of a recurrent cell, by the names of its weight and bias.
Value packedPart(const ModuleCall& m, std::string_view weight, std::string_view bias);
bool isHalfPart(const ModuleCall& m, std::string_view weight); ///< true if that weight is float16

bool isHalfLinear(const ModuleCall& m); ///< true if the weight of a Linear is float16
bool isFourBits(const ModuleCall& m);   ///< true if an Embedding's weight is torch.quint4x2

/// Returns the name of a torch constant among a module's attributes ("torch.qint8"), or an empty string for None.
std::string constantName(const ModuleCall& m, std::string_view name);

} // namespace fx::engine

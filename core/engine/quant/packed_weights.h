// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Packed weights of quantised layers, as values that quantised operators take. They are packed from `weight` and
/// `bias` when first asked for, for the engine that LibTorch prefers on this machine (x86), and kept in the tensor
/// store.

/// Of a convolution of 1, 2 or 3 dimensions; `transposed` among its attributes chooses the form.
Value packedConv(const ModuleCall& m, std::int64_t dims);
/// Of a Linear, whose weight its child `_packed_params` has, or of a LinearPackedParamsBase.
Value packedLinear(const ModuleCall& m);
Value packedEmbedding(const ModuleCall& m);

/// Of one linear part of a recurrent cell, by the names of its weight and bias.
Value packedPart(const ModuleCall& m, std::string_view weight, std::string_view bias);
bool isHalfPart(const ModuleCall& m, std::string_view weight); ///< whether that weight is float16

bool isHalfLinear(const ModuleCall& m); ///< whether the weight of a Linear is float16
bool isFourBits(const ModuleCall& m);   ///< whether an Embedding's weight is torch.quint4x2

/// The name of a torch constant among a module's attributes ("torch.qint8"), or empty for None.
std::string constantName(const ModuleCall& m, std::string_view name);

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/quant/modes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Whether a QConfig is for a mode: fake quantisation for qat, observers that see data for static, activations that are
/// quantised while the model runs for dynamic. Embeddings have weights alone quantised in each but qat.
bool isForMode(const QConfig& qconfig, Mode mode);

/// The names of the QConfigs of torch.ao that quantise a node, sorted.
using FittingQConfigs = std::unordered_map<std::string, std::vector<std::string_view>>;
/// For each node that `prepared` quantises: the QConfigs of its mode that the backend has kernels for. Others would
/// leave it in floating point. `model` is what it was prepared from. Prepares the model once for each QConfig of the
/// mode. Throws Error{Cancelled}.
FittingQConfigs fittingQConfigs(const GraphModule& model, const PreparedModel& prepared, Mode mode,
                                const PrepareOptions& options, const Progress& progress);

} // namespace fx::quant

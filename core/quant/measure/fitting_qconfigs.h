// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/quant/modes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// True if a QConfig suits a mode: fake quantisation for qat, calibrated observers for static, activations that are
/// quantised at run time for dynamic. In all modes but qat, QConfigs that quantise embedding weights alone also
/// qualify.
bool isForMode(const QConfig& qconfig, Mode mode);

/// Names of the torch.ao QConfigs that quantise each node, sorted, by node name.
using FittingQConfigs = std::unordered_map<std::string, std::vector<std::string_view>>;
/// Returns the QConfigs of the mode for which the backend has kernels, for each node that `prepared` quantises; any
/// other QConfig would leave the node in floating point. `model` is the model before preparation. Prepares it once for
/// each QConfig of the mode. Throws Error{Cancelled}.
FittingQConfigs fittingQConfigs(const GraphModule& model, const PreparedModel& prepared, Mode mode,
                                const PrepareOptions& options, const Progress& progress);

} // namespace fx::quant

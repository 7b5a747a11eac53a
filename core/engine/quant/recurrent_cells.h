// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Returns the forward of torch.ao's dynamically quantised LSTM, GRU or their cells, or null. Weights are attributes
/// of a cell or of each PackedParameter in `_all_weight_values`: `weight_ih`, `weight_hh` (quantised or float16),
/// `bias_ih`, `bias_hh`.
ModuleForm dynamicRecurrentForm(std::string_view className);

/// Returns the packed parameters of a layer from a CellParamsBase, with the children `weight_ih` and `weight_hh`.
Value packedCell(const ModuleCall& m);

} // namespace fx::engine

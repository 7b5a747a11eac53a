// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// The forward of torch.ao's dynamically quantised LSTM, GRU and their cells, or null. Weights are attributes:
/// `weight_ih`, `weight_hh` (quantised or float16), `bias_ih`, `bias_hh`, of a cell or of each PackedParameter in
/// `_all_weight_values`.
ModuleForm dynamicRecurrentForm(std::string_view className);

/// The packed parameters of a layer, which a CellParamsBase stands for: children `weight_ih` and `weight_hh`.
Value packedCell(const ModuleCall& m);

} // namespace fx::engine

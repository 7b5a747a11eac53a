// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/run_value.h"
#include "core/remote/value_view.h"

namespace fx::engine {

/// Returns a view of a value without its statistics. Moves a `slice` outside the tensor inside. Copies at most
/// kSliceSide² elements of a plain tensor; quantised and sparse tensors are converted as a whole.
ValueView viewOf(const Value& value, ValueSlice slice);
/// Returns the statistics of a tensor's values. Throws Error{Cancelled}.
TensorStatistics statisticsOf(const at::Tensor& tensor, const Progress& progress = {});

} // namespace fx::engine

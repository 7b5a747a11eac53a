// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/value.h"
#include "core/remote/value_view.h"

namespace fx::engine {

/// A view of a value without its statistics. A `slice` outside the tensor is moved inside. Copies at most kSliceSide²
/// elements of a plain tensor; quantised and sparse tensors are converted as a whole.
ValueView viewOf(const Value& value, ValueSlice slice);
/// Throws Error{Cancelled}.
TensorStatistics statisticsOf(const at::Tensor& tensor, const Progress& progress = {});

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/value.h"
#include "core/remote/value_view.h"

namespace fx::engine {

/// A value as it is looked at, without its statistics. What of `slice` lies outside of the tensor is moved into it.
/// Copies at most kSliceSide² elements of a plain tensor; quantised and sparse ones are taken apart as a whole.
ValueView viewOf(const Value& value, ValueSlice slice);
/// Throws Error{Cancelled}.
TensorStatistics statisticsOf(const at::Tensor& tensor, const Progress& progress = {});

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/inputs/input_spec.h"

namespace fx::engine {

/// An input as its description says, drawn from LibTorch's generator where it is random; what was read from a file is
/// loaded into the store. Throws Error{Usage}: unknown dtype, integers without a range or that the dtype does not hold,
/// what cannot be drawn, a file that was not read.
Value drawInput(const InputSpec& input, TensorStore& tensors);

/// A value with tensors of its own; one tensor in several places stays one.
Value copyOf(const Value& value);

} // namespace fx::engine

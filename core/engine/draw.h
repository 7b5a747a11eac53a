// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/inputs/input_spec.h"

namespace fx::engine {

/// Creates an input from its description: draws random inputs from LibTorch's generator, and loads inputs from files
/// into the store. Throws Error{Usage} for an unknown dtype, a missing or invalid range of integers, an unsupported
/// description, or a file that was not read.
Value drawInput(const InputSpec& input, TensorStore& tensors);

/// Returns a deep copy of a value; a tensor that occurs several times is copied once.
Value copyOf(const Value& value);

} // namespace fx::engine

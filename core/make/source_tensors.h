// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/trace/value.h"

/// Tensors that constructors make: their values, bit for bit as PyTorch computes them on the CPU.
namespace fx::trace {

/// torch.zeros, ones, full, empty, tensor, arange, eye, rand, randn.
bool isTensorFactory(std::string_view path);

/// The tensor that such a call gives. `shaped`: what is known of it without values; it is returned as it is when its
/// values cannot be computed here (other dtypes, values that are not known).
Value filledFactory(std::string_view path, const Value& shaped, const Values& args, TorchGenerator& random);

/// What a function of torch.nn.init (`name`: "zeros_") puts into a float32 tensor; null for functions that are not
/// known here.
std::shared_ptr<const Storage> initialValues(std::string_view name, const TensorRef& tensor, const Values& args,
                                             const KeywordValues& kwargs, TorchGenerator& random);

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/trace/value.h"

/// Tensors created by constructors, whose values equal PyTorch's on the CPU bit for bit.
namespace fx::trace {

/// Returns true for torch.zeros, ones, full, empty, tensor, arange, eye, rand and randn.
bool isTensorFactory(std::string_view path);

/// Returns the result of such a call. `shaped` is the tensor without values; it is returned if the values cannot be
/// computed (other dtypes, unknown values).
Value filledFactory(std::string_view path, const Value& shaped, const Values& args, TorchGenerator& random);

/// Returns the values that a function of torch.nn.init (`name` is "zeros_") writes to a float32 tensor; null for
/// unknown functions.
std::shared_ptr<const Storage> initialValues(std::string_view name, const TensorRef& tensor, const Values& args,
                                             const KeywordValues& kwargs, TorchGenerator& random);

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/trace/value.h"

/// Tensors created by constructors, with values equal to PyTorch's on the CPU bit for bit.
namespace fx::trace {

/// torch.zeros, ones, full, empty, tensor, arange, eye, rand, randn.
bool isTensorFactory(std::string_view path);

/// The result of such a call. `shaped`: the tensor without values, which is returned if the values cannot be computed
/// (other dtypes, unknown values).
Value filledFactory(std::string_view path, const Value& shaped, const Values& args, TorchGenerator& random);

/// The values that a function of torch.nn.init (`name`: "zeros_") writes to a float32 tensor; null for unknown
/// functions.
std::shared_ptr<const Storage> initialValues(std::string_view name, const TensorRef& tensor, const Values& args,
                                             const KeywordValues& kwargs, TorchGenerator& random);

} // namespace fx::trace

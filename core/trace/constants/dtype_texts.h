// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <string>

/// Names of dtypes in texts of PyTorch.
namespace fx::trace {

/// Returns c10::toString: "Long"; empty for rare dtypes.
std::string_view scalarText(DType dtype);
/// Returns the name of the type in C++: "long int"; empty for rare dtypes.
std::string_view storedText(DType dtype);
/// Returns "torch.LongTensor".
std::string typeText(DType dtype);

} // namespace fx::trace

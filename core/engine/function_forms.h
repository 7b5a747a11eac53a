// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"

namespace fx::engine {

/// A function of torch.nn.functional that needs several calls, in terms of its parameters.
using FunctionalForm = Value (*)(const Names& names);
/// Finds a form by the last component of the function's name; null if none exists.
FunctionalForm functionalForm(std::string_view name);

/// Mirrors torch.nn.functional.interpolate: converts scale_factor or size for the upsampling operators. Also the
/// forward of torch.nn.Upsample.
Value interpolate(const Names& names);

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"

namespace fx::engine {

/// A function of torch.nn.functional that needs more than one call, in terms of its parameters.
using FunctionalForm = Value (*)(const Names& names);
/// Finds a form by the name without the path, or returns null.
FunctionalForm functionalForm(std::string_view name);

/// torch.nn.functional.interpolate: converts scale_factor or size for the upsampling operators. Also the forward of
/// torch.nn.Upsample.
Value interpolate(const Names& names);

} // namespace fx::engine

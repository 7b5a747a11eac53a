// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"

namespace fx::engine {

/// A function of torch.nn.functional that takes more than one call, in terms of its parameters.
using FunctionalForm = Value (*)(const Names& names);
/// By its name without the path, or null.
FunctionalForm functionalForm(std::string_view name);

/// scale_factor or size to what the upsampling operators take; also the forward of torch.nn.Upsample.
Value interpolate(const Names& names);

} // namespace fx::engine

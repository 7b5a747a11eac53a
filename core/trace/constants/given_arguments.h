// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/semantics.h"
#include "core/trace/value.h"

namespace fx::trace {

/// Converts the arguments of a call to the form that core/ops/semantics takes.
ops::GivenArguments givenArguments(const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace

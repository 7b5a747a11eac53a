// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/semantics.h"
#include "core/trace/value.h"

namespace fx::trace {

/// The arguments of a call, as core/ops/semantics asks for them.
ops::GivenArguments givenArguments(const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx {

/// Attribute of a module in a model for the worker: why it cannot be run, although its source is known, and what to do;
/// a tuple of both. In models of users no module has it.
inline constexpr std::string_view kRefusal = "_lancet_refusal";

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Returns all passes, in display order.
const std::vector<Pass>& allPasses();

/// Returns the pass with this name, or null.
const Pass* findPass(std::string_view name);

/// Returns the names of passes similar to `name`, best first; for "did you mean".
std::vector<std::string_view> passesLike(std::string_view name);

/// Returns the pass with this name after checking `settings`. Throws Error{Refused} for an unknown name or setting.
const Pass& passFor(const std::string& name, const JsonValue& settings);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// All passes, in display order.
const std::vector<Pass>& allPasses();

/// The pass with this name, or null.
const Pass* findPass(std::string_view name);

/// Names of passes that look like `name`, best first; for "did you mean".
std::vector<std::string_view> passesLike(std::string_view name);

/// The pass with this name, its settings checked. Throws Error{Refused} for an unknown name or setting.
const Pass& passFor(const std::string& name, const JsonValue& settings);

} // namespace fx

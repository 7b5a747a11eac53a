// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/diff.h"

#include <string>
#include <vector>

namespace app {

/// Returns a line for each difference, without newline: `- %relu : ...` (only in A), `+ ...` (only in B), `~ mul ->
/// scaled: args` (changed), then modules and tensors.
std::vector<std::string> diffLines(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b);
/// Returns "2 added, 1 removed, 0 changed", or "equal".
std::string diffCounts(const fx::ModelDiff& diff);
/// Returns the answer of `diff --json`.
std::string diffJson(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b);

} // namespace app

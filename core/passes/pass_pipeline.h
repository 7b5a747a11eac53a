// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass_manager.h"

namespace fx {

/// A pipeline of passes as JSON, as a file or as the step `passes` of a recipe:
///
///     {"passes": ["dead_code", {"name": "cse", "settings": {"safe": false}, "times": 3},
///                 {"name": "normalize_args", "until_unchanged": true}],
///      "constraints": [["dead_code", "cse"], {"before": "cse", "after": "dead_code", "loops": true}],
///      "steps": 2}
///
/// A constraint is a pair (this_before_that) or an object, with `loops` also for loops of the passes
/// (these_before_those). The requests keep references to the JSON. Throws Error{Refused} for unknown keys and for names
/// of passes that do not exist, Error{File} for values of another kind.
PassManager readPipeline(JsonValue json);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"

namespace fx {

/// A pipeline of passes as JSON, as a file or as the step `passes` of a recipe:
///
///     {"passes": ["dead_code", {"name": "cse", "settings": {"safe": false}, "times": 3},
///                 {"name": "normalize_args", "until_unchanged": true}],
///      "constraints": [["dead_code", "cse"], {"before": "cse", "after": "dead_code", "loops": true}],
///      "steps": 2}
///
/// `nodes`, if given, are the names of the nodes that the passes may rewrite. A pass with the key `file` is one in
/// Python text; `text` stands for the content of the file. `own` makes the request for it (core/textpasses); without
/// it, such a pass is refused.
///
/// A constraint is a pair (this_before_that) or an object, with `loops` also for loops of the passes
/// (these_before_those). The requests keep references to the JSON. Throws Error{Refused} for unknown keys and for names
/// of passes that do not exist, Error{File} for values of another kind.
using OwnPassReader = std::function<PassRequest(const std::string& file, const JsonValue& text)>;
PassManager readPipeline(JsonValue json, const OwnPassReader& own = {});

} // namespace fx

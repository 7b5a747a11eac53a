// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"

namespace fx {

/// Reads a pipeline of passes from JSON, a file or the step `passes` of a recipe:
///
///     {"passes": ["dead_code", {"name": "cse", "settings": {"safe": false}, "times": 3},
///                 {"name": "normalize_args", "until_unchanged": true}],
///      "constraints": [["dead_code", "cse"], {"before": "cse", "after": "dead_code", "loops": true}],
///      "steps": 2}
///
/// `nodes`, if given, lists the names of the nodes that the passes may rewrite. The key `file` denotes a pass written
/// in Python; `text` then replaces the content of the file. An OwnPassReader creates the request for it
/// (core/textpasses); without one, such passes are refused.
///
/// A constraint is a pair (this_before_that) or an object; `loops` extends it to loops of the passes
/// (these_before_those). Requests keep references to the JSON. Throws Error{Refused} for unknown keys and unknown
/// passes, Error{File} for values of the wrong type.
using OwnPassReader = std::function<PassRequest(const std::string& file, const JsonValue& text)>;
/// Reads a pipeline; see OwnPassReader for the format and the errors.
PassManager readPipeline(JsonValue json, const OwnPassReader& own = {});

} // namespace fx

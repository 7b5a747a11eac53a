// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/torchscript.h"

#include <string>
#include <vector>

namespace fx::script {

/// What differs between the code of two files and is not in their graphs.
struct OtherParts {
    std::vector<std::string> methods;    ///< apart from `forward`: those that only one has, or whose code differs
    std::vector<std::string> attributes; ///< not tensors: those to which the code assigns other values
};
/// Names of classes do not count. Reads the code of both files.
OtherParts otherParts(const ScriptOrigin& a, const ScriptOrigin& b);

} // namespace fx::script

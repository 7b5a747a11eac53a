// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/torchscript.h"

#include <string>
#include <vector>

namespace fx::script {

/// Differences between the code of two files that their graphs do not show.
struct OtherParts {
    std::vector<std::string> methods;    ///< other than `forward`: in only one file, or with different code
    std::vector<std::string> attributes; ///< other than tensors: the code assigns different values
};
/// Compares the code of both files. Ignores names of classes.
OtherParts otherParts(const ScriptOrigin& a, const ScriptOrigin& b);

} // namespace fx::script

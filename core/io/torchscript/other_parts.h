// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/torchscript.h"

#include <string>
#include <vector>

/// What differs between the code of two files and is not in their graphs.
namespace fx::script {

/// Methods of the models, apart from `forward`, that only one has or whose code differs. Names of classes do not count.
std::vector<std::string> otherMethods(const ScriptOrigin& a, const ScriptOrigin& b);
/// Attributes that are no tensors and to which the code of the files assigns other values.
std::vector<std::string> otherAttributes(const ScriptOrigin& a, const ScriptOrigin& b);

} // namespace fx::script

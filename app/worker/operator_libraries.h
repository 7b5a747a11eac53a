// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace app {

/// Loads libraries that register operators (torchvision's `_C.so`). Throws Error{Run} with the reason of the system.
void loadOperatorLibraries(const std::vector<std::string>& paths);
/// Returns the libraries that the environment variable LANCET_OPERATOR_LIBRARIES lists, separated by colons.
std::vector<std::string> operatorLibrariesOfEnvironment();

/// Declares the operators that a TorchScript file calls and no loaded library registers, so that the file can be loaded
/// and shown. Running them fails with the name of the operator. Returns their names ("torchvision::nms"), sorted.
std::vector<std::string> declareMissingOperators(const std::string& path);

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// The default limit of `requireFewPaths`.
constexpr std::size_t kMostModulePaths = 1'000'000;

/// Counts the paths of a module and of all modules below it, including its path "". Shared children can give
/// exponentially many. Stops above `most`. Linear in the modules, iterative.
std::size_t countPaths(const Module& root, std::size_t most);
/// Throws Error{Refused} if there are more than `most` paths. Call it before walking all paths, as `state_dict()` does.
void requireFewPaths(const Module& root, std::size_t most = kMostModulePaths);

} // namespace fx

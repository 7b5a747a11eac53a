// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>
#include <string>
#include <unordered_map>

namespace fx {

/// Returns the `__init__` of the class that `moduleSource` writes for one GraphModule, without indentation.
/// `classNames` has the class names of nested GraphModules. Adds the lines that import what it calls to `imports`.
std::string initSource(const GraphModule& module, const std::unordered_map<const GraphModule*, std::string>& classNames,
                       std::set<std::string>& imports);

} // namespace fx

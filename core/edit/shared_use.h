// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/module/graph_module.h"

namespace fx {

/// Warns about side effects of a step beyond its target, which Python does not report:
///
/// - a module that several nodes call, or that is registered at several paths, is replaced, deleted or gets another
///   tensor;
/// - a tensor that several modules share (tied parameters), or several nodes read, is no longer shared;
/// - a pattern replaces only some of the nodes that call a module;
/// - a node that writes to its input in place is erased while others read that input.
///
/// `after` is the result of `step` on `before`. Linear in the graph and the module tree.
void warnOfSharedUse(const GraphModule& before, const GraphModule& after, const JsonValue& step, Warnings& warnings);

/// Returns false if `warnOfSharedUse` certainly reports nothing for the step. Fast.
bool mayChangeSharedUse(const GraphModule& before, const JsonValue& step);

} // namespace fx

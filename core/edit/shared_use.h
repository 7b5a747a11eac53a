// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/module/graph_module.h"

namespace fx {

/// Warns of what a step changes beyond what it names, or leaves behind. Python would say nothing of either:
/// - a module that several nodes call, or that stands at several paths, is replaced, deleted, or gets another tensor;
/// - a tensor that several modules share (tied parameters), or several nodes read, is one no longer;
/// - a pattern replaces only some of the nodes that call a module;
/// - a node that wrote to its input in place goes, while others read that input.
/// `after` is what `step` made of `before`. Linear in the graph and the module tree.
void warnOfSharedUse(const GraphModule& before, const GraphModule& after, const JsonValue& step, Warnings& warnings);

/// False for steps that `warnOfSharedUse` has nothing to say about; quick.
bool mayChangeSharedUse(const GraphModule& before, const JsonValue& step);

} // namespace fx

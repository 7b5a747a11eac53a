// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <memory>

namespace testing {

/// x → conv (call_module) → torch.relu → view (call_method) → output, with a module tree that has the conv and a shared
/// block.
std::shared_ptr<fx::GraphModule> smallNet();

/// A chain of `count` nodes: placeholder, then call_module `blocks.I.linear` and torch.relu in turn, output.
std::shared_ptr<fx::GraphModule> chain(int count);

/// Returns a model that takes arbitrarily long: x, a matrix, multiplied by itself `count` times.
std::shared_ptr<fx::GraphModule> matrixPower(int count);

} // namespace testing

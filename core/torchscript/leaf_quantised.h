// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/leaf_modules.h"

namespace fx::script {

/// Returns true if a class of torch.ao.nn keeps packed weights that a graph has only in its module: quantised
/// convolutions and linear layers. `plainName` is "torch.ao.nn.quantized.modules.conv.Conv2d".
bool isQuantisedLeaf(std::string_view plainName);

/// Returns the call of such a module that `method` of `object` makes; nullopt if it is not recognised. `own` is as in
/// `LeafMatch`.
std::optional<LeafCall> quantisedLeaf(const Program& program, const Object& object, const Method& method,
                                      const std::vector<std::string>& own);

} // namespace fx::script

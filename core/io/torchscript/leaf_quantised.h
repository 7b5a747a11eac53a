// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/leaf_modules.h"

namespace fx::script {

/// Whether a class of torch.ao.nn keeps packed weights that a graph has only in its module: quantised convolutions and
/// linear layers. `plainName` is "torch.ao.nn.quantized.modules.conv.Conv2d".
bool isQuantisedLeaf(std::string_view plainName);

/// The call of such a module that `method` of `object` makes; nullopt if it is not known to be one. `own`: see
/// LeafMatch.
std::optional<LeafCall> quantisedLeaf(const Program& program, const Object& object, const Method& method,
                                      const std::vector<std::string>& own);

} // namespace fx::script

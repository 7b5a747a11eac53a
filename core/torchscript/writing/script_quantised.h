// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/writing/script_terms.h"

namespace fx::script {

/// `moduleBody` of the quantised modules of torch.ao and of its reference modules; empty for others. Packed weights are
/// attributes of the module that has them (`_packed_params`, `_packed_weight`), as in scripts from PyTorch.
std::string quantisedBody(const Module& module, const std::vector<std::string>& inputs);

/// Returns the attribute in which a script keeps the packed weights of this module in place of its `weight` and `bias`;
/// empty for other modules.
std::string_view packedAttribute(const Module& module);

} // namespace fx::script

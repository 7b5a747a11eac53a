// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// torch.ao `attach_preserved_attrs_to_model`: sets attributes of `from` on the root of a model, as Python's setattr.
/// Names that `from` does not have are left out.
void preserveAttributes(const Module& from, const std::vector<std::string>& names, GraphModule& model);

} // namespace fx::quant

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// Sets attributes of `from` on the root of a model, as Python's setattr. Mirrors torch.ao's
/// `attach_preserved_attrs_to_model`. Ignores names that `from` lacks.
void preserveAttributes(const Module& from, const std::vector<std::string>& names, GraphModule& model);

} // namespace fx::quant

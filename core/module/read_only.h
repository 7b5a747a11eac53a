// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Suffix of `GraphModule::modelName` of a graph that shows the inside of a TorchScript file.
inline constexpr std::string_view kInsideGraph = " (inside)";

/// True for a graph that can only be shown: it is neither run, nor changed, nor written.
inline bool isReadOnly(const GraphModule& model) {
    return model.format == Format::TorchScript && model.modelName.ends_with(kInsideGraph);
}
/// Throws Error{Refused} if `isReadOnly`.
void requireChangeable(const GraphModule& model);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// The result of an operator of `torch.ops.prims` that torch.compile leaves in its graphs. PyTorch defines these in
/// Python, so LibTorch lacks them. nullopt for other names.
std::optional<Value> callPrim(std::string_view name, const Arguments& arguments);

} // namespace fx::engine

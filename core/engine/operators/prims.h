// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// Returns the result of an operator of `torch.ops.prims` that torch.compile leaves in its graphs; nullopt for other
/// names. PyTorch defines these in Python, so LibTorch lacks them.
std::optional<Value> callPrim(std::string_view name, const Arguments& arguments);

} // namespace fx::engine

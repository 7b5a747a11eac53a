// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// Calls an operator of `torch.ops.quantized_decomposed`: quantisation on plain integer tensors, as in exported
/// programs. PyTorch defines these in Python, and LibTorch lacks them. Results equal PyTorch's bit for bit. Returns
/// nullopt for other names. Throws Error{Run}.
std::optional<Value> callDecomposed(std::string_view name, const Arguments& arguments);

} // namespace fx::engine

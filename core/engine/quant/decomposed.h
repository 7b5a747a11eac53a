// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// The operators `torch.ops.quantized_decomposed.*`, which PyTorch defines in Python and LibTorch lacks: quantisation
/// on plain integer tensors, as exported programs contain it. Results equal PyTorch's bit for bit. Nothing for other
/// names. Throws Error{Run}.
std::optional<Value> callDecomposed(std::string_view name, const Arguments& arguments);

} // namespace fx::engine

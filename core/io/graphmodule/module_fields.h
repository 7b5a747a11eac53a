// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fx {

/// The dictionary of a new nn.Module, in its order.
std::span<const std::string_view> moduleFields();
/// True for the fields of every nn.Module that hold hooks.
bool isHookField(std::string_view name);
/// True for GraphModule's own fields: code, tracer, bookkeeping.
bool isGraphModuleField(std::string_view name);
/// The current module of a class that older PyTorch versions pickled from another module: `torch.nn.quantized` is
/// `torch.ao.nn.quantized`.
std::string currentModule(std::string_view module);

} // namespace fx

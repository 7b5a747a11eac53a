// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fx {

class Argument;
struct Module;

/// The dictionary of a new nn.Module, in its order.
std::span<const std::string_view> moduleFields();
/// True for the fields of every nn.Module that hold hooks.
bool isHookField(std::string_view name);
/// The hooks that a module of a traced source brings: the attribute `_forward_pre_hooks` with (class of torch.nn.utils,
/// fields) by key. Null if `field` is another one or its value something else.
const Argument* newHooksOf(const Module& module, std::string_view field);
/// True for GraphModule's own fields: code, tracer, bookkeeping.
bool isGraphModuleField(std::string_view name);
/// The current module of a class that older PyTorch versions pickled from another module: `torch.nn.quantized` is
/// `torch.ao.nn.quantized`.
std::string currentModule(std::string_view module);

} // namespace fx

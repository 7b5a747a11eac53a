// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fx {

class Argument;
struct Module;

/// The keys of the `__dict__` of a new nn.Module, in order.
std::span<const std::string_view> moduleFields();
/// Returns true for the fields of every nn.Module that hold hooks.
bool isHookField(std::string_view name);
/// Returns true for the hooks that compute a tensor of their module before each call: weight_norm, spectral_norm and
/// pruning, by the class with its Python module.
bool isTensorHook(std::string_view type);
/// Returns the hooks of a module that are known as data: the attribute `_forward_pre_hooks`, a dict from key to
/// (class, fields), all `isTensorHook`. Null for other fields and other values.
const Argument* newHooksOf(const Module& module, std::string_view field);
/// Returns true for the fields of a GraphModule itself: code, tracer, bookkeeping. torch.load executes some of them.
bool isGraphModuleField(std::string_view name);
/// Returns true for names that no setting may have, because a description stores them elsewhere or PyTorch creates
/// them.
bool isOwnField(std::string_view name, bool ofGraphModule);
/// Returns the current module of a class that older PyTorch versions pickled under another module:
/// `torch.ao.nn.quantized` for `torch.nn.quantized`.
std::string currentModule(std::string_view module);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <optional>
#include <string_view>

namespace fx::quant {

std::optional<std::int64_t> integerOf(const Module& module, std::string_view name);
double numberOf(const Module& module, std::string_view name, double byDefault);
bool flagOf(const Module& module, std::string_view name, bool byDefault = false);
/// A parameter or buffer, or null.
TensorPtr tensorOf(const Module& module, std::string_view name);
void setTensor(Module& module, std::string_view name, TensorPtr tensor);
void setAttribute(Module& module, std::string_view name, Argument value);
void setAttribute(Module& module, std::string_view name, TensorPtr tensor);

/// An empty module of a class: `torch.ao.nn.intrinsic.modules.fused.ConvReLU2d`.
std::shared_ptr<Module> emptyModule(std::string_view type);

/// "a.b" of "a.b.c"; empty for a name without dots.
std::string_view parentPath(std::string_view path);

} // namespace fx::quant

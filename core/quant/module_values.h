// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <optional>
#include <string_view>

namespace fx::quant {

/// An integer attribute, or nullopt.
std::optional<std::int64_t> integerOf(const Module& module, std::string_view name);
/// A numeric attribute, or `byDefault`.
double numberOf(const Module& module, std::string_view name, double byDefault);
/// A boolean attribute, or `byDefault`.
bool flagOf(const Module& module, std::string_view name, bool byDefault = false);
/// A parameter or buffer, or null.
TensorPtr tensorOf(const Module& module, std::string_view name);
/// Replaces a parameter or buffer; adds a parameter if neither exists.
void setTensor(Module& module, std::string_view name, TensorPtr tensor);
/// Sets an attribute, adding it if it is missing.
void setAttribute(Module& module, std::string_view name, Argument value);
/// As above, for a tensor attribute.
void setAttribute(Module& module, std::string_view name, TensorPtr tensor);

/// Creates an empty module of a class such as `torch.ao.nn.intrinsic.modules.fused.ConvReLU2d`.
std::shared_ptr<Module> emptyModule(std::string_view type);

/// Returns "a.b" for "a.b.c"; empty for a name without dots.
std::string_view parentPath(std::string_view path);

} // namespace fx::quant

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
/// Replaces a parameter or buffer; adds a parameter if neither exists.
void setTensor(Module& module, std::string_view name, TensorPtr tensor);
/// Sets an attribute, adding it if it is missing.
void setAttribute(Module& module, std::string_view name, Argument value);
/// As above, for a tensor attribute.
void setAttribute(Module& module, std::string_view name, TensorPtr tensor);

} // namespace fx::quant

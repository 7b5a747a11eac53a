// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/symbol.h"

#include <optional>
#include <span>
#include <string_view>

namespace fx::script {

/// The Python function that does what TorchScript's operator does to numbers, texts and containers: "_operator.add" for
/// aten::add, "len" for aten::len. Empty if there is none.
std::string_view pythonFunction(std::string_view kind);

/// The result of such a function for known arguments; nullopt if it cannot be told, or does not fit in TorchScript's
/// types.
std::optional<Argument> fold(std::string_view function, std::span<const Argument> arguments);

/// Conversions whose result is the number itself: aten::Int of an int, aten::ScalarImplicit ...
bool isConversion(std::string_view kind);

/// Operators that change a list or dict in place.
bool changesContainer(std::string_view kind);

/// TorchScript's numbers for dtypes, layouts and memory formats as the objects of torch; None for unknown numbers.
Argument dtypeNumbered(std::int64_t number);
Argument layoutNumbered(std::int64_t number);
Argument memoryFormatNumbered(std::int64_t number);
/// A number that a script has in place of a value of `type` of a schema ("ScalarType", "Layout", "MemoryFormat") as
/// that value; other values and other types are left.
Argument torchConstantOr(const Argument& value, std::string_view type);

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/torchscript/importing/symbol.h"

#include <optional>
#include <span>
#include <string_view>

namespace fx::script {

/// Returns the Python function that equals a TorchScript operator on numbers, strings and containers: "_operator.add"
/// for aten::add, "len" for aten::len. Empty if none exists.
std::string_view pythonFunction(std::string_view kind);

/// Computes such a function for known arguments; nullopt if the result is unknown or does not fit TorchScript's types.
std::optional<Argument> fold(std::string_view function, std::span<const Argument> arguments);

/// Returns true for conversions whose result is the number itself: aten::Int of an int, aten::ScalarImplicit ...
bool isConversion(std::string_view kind);

/// Returns true for operators that change a list or dict in place.
bool changesContainer(std::string_view kind);

/// Converts TorchScript's number of a dtype to the object of torch; None for unknown numbers.
Argument dtypeNumbered(std::int64_t number);
/// The same for a layout.
Argument layoutNumbered(std::int64_t number);
/// The same for a memory format.
Argument memoryFormatNumbered(std::int64_t number);
/// Converts a number to the torch constant that it stands for if `type` in a schema is "ScalarType", "Layout" or
/// "MemoryFormat". Returns other values, and values of other types, unchanged.
Argument torchConstantOr(const Argument& value, std::string_view type);

/// Returns the type that a schema gives to the result of a node where a script has a number: "ScalarType" of `x.dtype`,
/// "Layout" of `x.layout`. Empty for others.
std::string_view numberedType(const Graph& graph, const Argument& value);
/// Replaces numbers that are compared with such results: `x.dtype == 6` of a script is `x.dtype == torch.float32` in
/// Python. Returns false where the script needs the number, as `str(x.dtype)` does.
bool nameNumbers(const Graph& graph, std::string_view function, std::vector<Argument>& args);

} // namespace fx::script

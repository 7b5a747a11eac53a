// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <optional>
#include <string_view>

namespace fx::py {

/// Parses a number token: int of any size, float or imaginary; nullopt if it is not a number.
std::optional<Argument> parseNumber(std::string_view token);
/// Parses a string token including prefix and quotes: str or bytes; nullopt for f-strings and invalid escapes.
std::optional<Argument> parseString(std::string_view token);

} // namespace fx::py

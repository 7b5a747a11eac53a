// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fx {

/// Columns of blank space that a line starts with (a tab counts to the next 8).
std::uint32_t indentOf(std::string_view line);

/// The names that a statement gives, as far as its text shows without parsing: `a` of `a = …`, `a : T = …`, `x += 1;  a
/// = x`.
std::vector<std::string_view> namesGivenBy(std::string_view statement);

/// The offset of the innermost bracket that the line opens and does not close.
std::optional<std::size_t> openBracket(std::string_view line);

/// Bytes of the first token, at least 1.
std::size_t tokenLength(std::string_view text);

/// An error about a piece of text; an empty piece or a line end is moved to the character before it.
CodeError codeError(std::string_view text, std::size_t offset, std::size_t end, std::string message);

} // namespace fx

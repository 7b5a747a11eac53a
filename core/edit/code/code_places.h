// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fx {

/// Indentation of a line in columns (a tab extends to the next multiple of 8).
std::uint32_t indentOf(std::string_view line);

/// The names that a statement assigns, found without parsing: `a` of `a = …`, `a : T = …`, `x += 1;  a
/// = x`.
std::vector<std::string_view> namesGivenBy(std::string_view statement);

/// The offset of the innermost bracket that is not closed on the line.
std::optional<std::size_t> openBracket(std::string_view line);

/// Length of the first token in bytes, at least 1.
std::size_t tokenLength(std::string_view text);

/// An error for a range of text. An empty range or a line end is moved to the preceding character.
CodeError codeError(std::string_view text, std::size_t offset, std::size_t end, Message message);

} // namespace fx

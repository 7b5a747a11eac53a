// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fx {

/// Returns the indentation of a line in columns; a tab extends to the next multiple of 8.
std::uint32_t indentOf(std::string_view line);

/// Returns the names that a statement assigns, without parsing it: `a` of `a = …`, of `a : T = …` and of `x += 1;  a =
/// x`.
std::vector<std::string_view> namesGivenBy(std::string_view statement);

/// Returns the offset of the innermost bracket that the line does not close; nullopt if it closes all.
std::optional<std::size_t> openBracket(std::string_view line);

/// Returns the length of the first token in bytes, at least 1.
std::size_t tokenLength(std::string_view text);

/// Creates an error for a range of the text. Moves an empty range or a line end to the preceding character.
CodeError codeError(std::string_view text, std::size_t offset, std::size_t end, Message message);

} // namespace fx

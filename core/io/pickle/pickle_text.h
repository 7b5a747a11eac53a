// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// True for UTF-8 that Python's `surrogatepass` accepts: shortest forms, up to U+10FFFF, lone surrogates allowed.
bool isPickleUtf8(std::string_view text);
/// The text of opcode UNICODE: Latin-1 with `\uXXXX` and `\UXXXXXXXX`, as UTF-8. Empty if malformed.
std::optional<std::string> decodeRawUnicode(std::string_view line);
/// The text of opcode STRING: a quoted Python 2 string literal with its escapes. Empty if malformed.
std::optional<std::string> decodeQuoted(std::string_view line);

} // namespace fx

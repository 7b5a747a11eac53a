// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// Returns true for UTF-8 that Python's `surrogatepass` accepts: shortest forms, up to U+10FFFF, lone surrogates
/// allowed.
bool isPickleUtf8(std::string_view text);
/// Decodes the text of opcode UNICODE, Latin-1 with `\uXXXX` and `\UXXXXXXXX`, to UTF-8. Returns nullopt if malformed.
std::optional<std::string> decodeRawUnicode(std::string_view line);
/// Decodes the text of opcode STRING, a quoted Python 2 string literal with escapes. Returns nullopt if malformed.
std::optional<std::string> decodeQuoted(std::string_view line);

} // namespace fx

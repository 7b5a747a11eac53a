// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fx {

/// Text conversions of CPython 3.11 for values that appear in generated code.

/// Appends `repr(value)`: the shortest digits that read back, `1e-05`, `inf`, `nan`, `-0.0`, `1e+16`.
void appendPythonFloat(std::string& out, double value);
/// Appends `repr(complex(re, im))`: `(1+2j)`, `2j`, `(-0-1j)`.
void appendPythonComplex(std::string& out, double re, double im);
/// Appends `repr(text)` of UTF-8 text: Python's choice of quotes and escapes. Surrogates written as
/// three-byte sequences print as `\udXXX`, bytes that are not UTF-8 as `\xNN`.
void appendPythonString(std::string& out, std::string_view text);
/// Appends `repr(bytes)`: `b'...'`.
void appendPythonBytes(std::string& out, std::string_view bytes);

/// `str.isidentifier()`: letters, digits, `_` and non-ASCII letters, not starting with a digit.
/// Keywords are identifiers here, as in Python.
bool isPythonIdentifier(std::string_view text);
/// Whether the byte may be part of an identifier: ASCII letters, digits, `_`, and every byte of a non-ASCII character.
inline bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}
/// Whether the text contains this name as a word that does not follow a dot.
bool hasWord(std::string_view text, std::string_view name);
/// `keyword.iskeyword(text)` of Python 3.11.
bool isPythonKeyword(std::string_view text);
/// True if `name` is an attribute of Python 3.11's `builtins` module.
bool isPythonBuiltin(std::string_view name);
/// All keywords, sorted.
std::span<const std::string_view> pythonKeywords();
std::span<const std::string_view> pythonBuiltins();

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fx {

/// Text conversions of CPython 3.11, for values in generated code.

/// Appends `repr(value)`: the shortest digits that read back, `1e-05`, `inf`, `nan`, `-0.0`, `1e+16`.
void appendPythonFloat(std::string& out, double value);
/// Appends `repr(complex(re, im))`: `(1+2j)`, `2j`, `(-0-1j)`.
void appendPythonComplex(std::string& out, double re, double im);
/// Appends `repr(text)` of UTF-8 text, with Python's choice of quotes and escapes. Surrogates encoded as three bytes
/// print as `\udXXX`, bytes that are not UTF-8 as `\xNN`.
void appendPythonString(std::string& out, std::string_view text);
/// Appends `repr(bytes)`: `b'...'`.
void appendPythonBytes(std::string& out, std::string_view bytes);

/// Returns `str.isidentifier()`: letters, digits, `_` and non-ASCII letters, not starting with a digit. Keywords are
/// identifiers too, as in Python.
bool isPythonIdentifier(std::string_view text);
/// Returns true if the byte may be part of an identifier: ASCII letters, digits, `_`, and any byte of a non-ASCII
/// character.
inline bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}
/// Returns true if the text contains `name` as a whole word that does not follow a dot.
bool hasWord(std::string_view text, std::string_view name);
/// Returns `keyword.iskeyword(text)` of Python 3.11.
bool isPythonKeyword(std::string_view text);
/// Returns true if `name` is an attribute of the `builtins` module of Python 3.11.
bool isPythonBuiltin(std::string_view name);
/// All keywords, sorted.
std::span<const std::string_view> pythonKeywords();
/// All names that `isPythonBuiltin` accepts, sorted.
std::span<const std::string_view> pythonBuiltins();

} // namespace fx

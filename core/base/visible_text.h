// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Makes names and texts from files safe to show on terminals and in the window. Hidden characters and bytes that are
/// not UTF-8 are spelled as Python does (`\x1b`, `\u202e`, `\U000e0041`).

/// Returns true if a character is always escaped: control characters (ANSI escapes begin with one), bidirectional
/// controls, line and paragraph separators, surrogates, characters without width (zero-width spaces and joiners, soft
/// hyphens, variation selectors, fillers, tags, the byte order mark) and without a shape (the Braille pattern without
/// dots).
bool isHiddenCharacter(char32_t point);

/// Escapes a text of several lines; line breaks and tabs stay.
std::string visibleText(std::string_view text);
/// Escapes a text for one line; line breaks and tabs become spaces.
std::string visibleLine(std::string_view text);
/// Shortens and escapes a text that an error quotes on one line: line breaks and tabs are escaped, and "…" marks the
/// cut.
std::string visibleExcerpt(std::string_view text);
/// Escapes a name for one line. Line breaks and tabs are escaped as well (`\n`, `\t`), so that a name cannot imitate a
/// different name or several names.
std::string visibleName(std::string_view text);

} // namespace fx

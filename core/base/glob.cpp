// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/glob.h"

namespace fx {
namespace {

/// Bytes of the UTF-8 character that starts at `at`.
std::size_t characterSize(std::string_view text, std::size_t at) {
    std::size_t size = 1;
    while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80) ++size;
    return size;
}

/// The place of the `]` that closes the set which opens at `open`, npos when none does.
std::size_t setEnd(std::string_view pattern, std::size_t open) {
    std::size_t at = open + 1;
    if (at < pattern.size() && pattern[at] == '!') ++at;
    if (at < pattern.size() && pattern[at] == ']') ++at;
    return pattern.find(']', at);
}

/// Whether a character is in the set between the brackets. UTF-8 compares as its code points do.
bool inSet(std::string_view set, std::string_view character) {
    const bool negated = set.starts_with('!');
    if (negated) set.remove_prefix(1);
    bool found = false;
    for (std::size_t at = 0; at < set.size() && !found;) {
        const std::size_t size = characterSize(set, at);
        const std::string_view low = set.substr(at, size);
        at += size;
        if (at + 1 < set.size() && set[at] == '-') {
            const std::string_view high = set.substr(at + 1, characterSize(set, at + 1));
            at += 1 + high.size();
            found = low <= character && character <= high;
        } else {
            found = low == character;
        }
    }
    return found != negated;
}

/// Matches one character of the pattern at `p`; returns the place behind it, npos when the character is another.
std::size_t matchOne(std::string_view pattern, std::size_t p, std::string_view character) {
    if (pattern[p] == '?') return p + 1;
    if (pattern[p] == '[')
        if (const std::size_t end = setEnd(pattern, p); end != std::string_view::npos)
            return inSet(pattern.substr(p + 1, end - p - 1), character) ? end + 1 : std::string_view::npos;
    return pattern.substr(p).starts_with(character) ? p + character.size() : std::string_view::npos;
}

} // namespace

bool globMatches(std::string_view pattern, std::string_view text) {
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t p = 0, t = 0, star = kNone, starText = 0; // going back to the last star is enough
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++, starText = t;
            continue;
        }
        const std::size_t size = characterSize(text, t);
        const std::size_t next = p < pattern.size() ? matchOne(pattern, p, text.substr(t, size)) : kNone;
        if (next != kNone) {
            p = next, t += size;
        } else if (star != kNone) {
            starText += characterSize(text, starText);
            p = star + 1, t = starText;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool isGlob(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

} // namespace fx

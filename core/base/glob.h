// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx {

/// Matches like Python's `fnmatch.fnmatchcase`: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`; case-sensitive, anchored at both
/// ends. O(|pattern| × |text|).
bool globMatches(std::string_view pattern, std::string_view text);
/// Returns true if the pattern contains one of `* ? [`.
bool isGlob(std::string_view pattern);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx {

/// Python's `fnmatch.fnmatchcase`: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`; case-sensitive, the whole text.
/// At most |pattern| × |text| steps.
bool globMatches(std::string_view pattern, std::string_view text);
/// Whether the pattern has one of `* ? [`.
bool isGlob(std::string_view pattern);

} // namespace fx

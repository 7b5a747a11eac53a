// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Two edits of one code put together.
struct MergedCode {
    std::string text;
    int conflicts = 0; ///< places that both have changed in different ways: there `mine` counts
};

/// Three-way merge by lines: what `mine` changed of `base` and what `theirs` changed of it. Statements count as equal
/// when they differ only in blanks and in the `;  x = None` that frees values. O(n log n).
MergedCode mergeCode(std::string_view base, std::string_view mine, std::string_view theirs);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// The result of merging two edits of the same code.
struct MergedCode {
    std::string text;  ///< the merged code
    int conflicts = 0; ///< regions that both sides changed differently; `mine` wins
};

/// Merges the changes from `base` to `mine` and to `theirs` line by line. Statements that differ only in blanks and in
/// the `;  x = None` that frees values are equal. O(n log n).
MergedCode mergeCode(std::string_view base, std::string_view mine, std::string_view theirs);

} // namespace fx

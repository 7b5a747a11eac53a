// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/diff.h"

namespace fx {

/// Throws Error{Refused} with the first difference between `expected` and `back`, which was read from the file just
/// written to `path`. `scope` says how much the format keeps. Throws Error{File} if values cannot be read,
/// Error{Cancelled}.
void requireSame(const GraphModule& expected, const GraphModule& back, const std::string& path,
                 const Progress& progress = {}, DiffScope scope = DiffScope::Files);

/// True if a file of B would be a file of A.
inline bool sameInFiles(const GraphModule& a, const GraphModule& b, const Progress& progress = {}) {
    return diffModels(a, b, {true, DiffScope::Files}, progress).equal();
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"

#include <vector>

namespace ui {

/// The displayed lines of generated code: all, or at most `limit` around the selection.
struct CodeWindow {
    int first = 0, count = 0; ///< 0-based lines
    /// True if the line is displayed.
    bool contains(int line) const { return line >= first && line < first + count; }
    bool operator==(const CodeWindow&) const = default;
};

/// The number of lines above which code is shown in sections.
inline constexpr int kWholeCodeLimit = 20'000;

/// Returns the section for `node`: the lines of the largest enclosing module that fit into `limit` (the module path is
/// shortened name by name), extended to neighbours if the module is small. Returns the first lines for kNoNode.
CodeWindow codeWindowFor(const fx::Graph& graph, const fx::PythonCode& code, fx::NodeId node,
                         int limit = kWholeCodeLimit);

/// Returns the offsets of the line starts of `text`, and its size at the end.
std::vector<std::size_t> lineStarts(std::string_view text);

} // namespace ui

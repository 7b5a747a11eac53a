// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"

#include <vector>

namespace ui {

/// The displayed lines of generated code: all, or at most `limit` around the selection.
struct CodeWindow {
    int first = 0, count = 0; ///< lines, 0-based
    bool contains(int line) const { return line >= first && line < first + count; }
    bool operator==(const CodeWindow&) const = default;
};

/// Longer code is shown in sections.
inline constexpr int kWholeCodeLimit = 20'000;

/// The section for `node`: the lines of the largest enclosing module that fit into `limit` (the module path is
/// shortened name by name), extended to neighbours if the module is small. For kNoNode, the first lines.
CodeWindow codeWindowFor(const fx::Graph& graph, const fx::PythonCode& code, fx::NodeId node,
                         int limit = kWholeCodeLimit);

/// Offsets of the line starts of `text`, and its size at the end.
std::vector<std::size_t> lineStarts(std::string_view text);

} // namespace ui

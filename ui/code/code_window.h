// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"

#include <vector>

namespace ui {

/// Which lines of a generated code are shown: all of them, or at most `limit` around what is selected.
struct CodeWindow {
    int first = 0, count = 0; ///< lines, 0-based
    bool contains(int line) const { return line >= first && line < first + count; }
    bool operator==(const CodeWindow&) const = default;
};

/// More lines than this are shown in parts.
inline constexpr int kWholeCodeLimit = 20'000;

/// The part for `node`: the lines of the largest module around it that fit into `limit` (the module path is cut at the
/// end, name by name), grown to neighbours when the module is small. kNoNode: the first lines.
CodeWindow codeWindowFor(const fx::Graph& graph, const fx::PythonCode& code, fx::NodeId node,
                         int limit = kWholeCodeLimit);

/// Offsets of the line starts of `text`, and its size at the end.
std::vector<std::size_t> lineStarts(std::string_view text);

} // namespace ui

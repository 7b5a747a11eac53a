// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

// Checks of text from files that generated code contains without quotes. Text of another form could be more code than
// the graph shows. Each check throws Error{Refused} without a node.

/// Requires a Python identifier: a parameter, a keyword, or the member of an enum.
void requireIdentifier(std::string_view text);
/// Requires identifiers joined by dots, as in `__module__` and `__qualname__`; accepts `<locals>` and `<lambda>`.
void requireDotted(std::string_view text);
/// Requires that the code imports the object that the graph shows: the qualified name must be the module and the name
/// in it. Functions of torch are used by their qualified name.
void requireOneName(const Callable& callable);
/// Requires an atom of a path that can stand between double quotes, as in `getattr(self, "0")`.
void requireQuotable(std::string_view atom);
/// Requires one expression that ends with the text and calls nothing that Python or torch define: a printed value
/// (`Point(x=1)`, `typing.Literal['a']`, `s0 + 1`), or text that is not Python (`<object at 0x0>`). Returns the names
/// that it calls (`Point`), which the surrounding code must not define.
std::vector<std::string> requireValue(std::string_view text);
/// Requires that `text`, the repr of `argument`, is such a value. Numbers and strings need no check, because Lancet
/// prints them; other reprs contain text of the file. Returns the names that it calls.
std::vector<std::string> requirePrinted(const Argument& argument, std::string_view text);
/// Requires the same and that the text calls nothing, for places where the names that the surrounding code defines are
/// unknown.
void requireWithoutCalls(const Argument& argument, std::string_view text);

/// Renames nodes whose name is not an identifier, as torch.fx's `create_name` does. Warns about each of the first 20
/// with both names, and about the number of the others.
void legaliseNames(Graph& graph, Warnings& warnings);

} // namespace fx

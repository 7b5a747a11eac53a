// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A class in the text of `print_readable()` or in a runnable. Its name may be no Python name (`<lambda>`).
///
///     class GraphModule(torch.nn.Module):
///         def __init__(self): ...                 (runnables only)
///         def forward(self, x: "f32[3]"): ...
///
///         class cond_true_0(torch.nn.Module):     a nested graph
struct PrintedClass {
    std::string name;
    std::size_t parent = 0;           ///< index of the enclosing class; its own for an outermost one
    std::size_t start = 0;            ///< offset of its line
    std::size_t body = 0;             ///< offset after its line
    std::size_t forward = 0, end = 0; ///< offsets of the line of `def forward` (0 if missing) and after its body
    std::size_t indent = 0;
};

/// The deepest nesting of classes that is read.
inline constexpr std::size_t kMaxClassDepth = 100;

/// The module classes of a text in order: one pass over its lines, parses nothing. A parent comes before its nested
/// classes.
std::vector<PrintedClass> printedClasses(std::string_view text);

} // namespace fx

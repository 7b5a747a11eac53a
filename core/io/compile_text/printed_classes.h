// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A class in the text of `print_readable()` or in a runnable. The name may be invalid in Python (`<lambda>`).
///
///     class GraphModule(torch.nn.Module):
///         def __init__(self): ...                 (runnables only)
///         def forward(self, x: "f32[3]"): ...
///
///         class cond_true_0(torch.nn.Module):     a nested graph
struct PrintedClass {
    std::string name;
    std::size_t parent = 0;           ///< index of the enclosing class; an outermost class refers to itself
    std::size_t start = 0;            ///< offset of its line
    std::size_t body = 0;             ///< offset after its line
    std::size_t forward = 0, end = 0; ///< offsets of the line of `def forward` (0 if missing) and after its body
    std::size_t indent = 0;
};

/// The deepest supported nesting of classes.
inline constexpr std::size_t kMaxClassDepth = 100;

/// Finds the module classes of a text in one pass over its lines, without parsing. A class precedes its nested classes.
std::vector<PrintedClass> printedClasses(std::string_view text);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <set>
#include <string>
#include <string_view>

/// Names in the expressions of constants that PyTorch computes while it loads a file (`Storage::expressionSource`).
namespace fx::py {

/// The names that an expression reads.
struct ExpressionNames {
    std::set<std::string> reads;  ///< paths in the model: "layers.0.pos"; attributes and methods of the tensor may
                                  ///< follow: "k.T", "pos.add"
    std::set<std::size_t> selves; ///< offsets of `self`
    std::set<std::string> names;  ///< all other names: "torch", "device"; without keywords of calls
};
/// Throws Error{File} if the text is not an expression.
ExpressionNames namesIn(std::string_view source);

/// Converts an expression of the module at `path` to one of the outer model: `self.pos` becomes `self.layers.pos`.
std::string seenFromAbove(std::string source, std::string_view path);

/// The Python expression for a path of the model: `self.layers` for "layers", `getattr(self.layers, "0").pos` of
/// "layers.0.pos".
std::string readText(std::string_view path);

} // namespace fx::py

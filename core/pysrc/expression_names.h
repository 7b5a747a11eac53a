// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <set>
#include <string>
#include <string_view>

/// Names in the expressions of constants that PyTorch computes while loading a file (`Storage::expressionSource`).
namespace fx::py {

/// The names that an expression reads.
struct ExpressionNames {
    /// The paths in the model: "layers.0.pos"; attributes and methods of the tensor may follow: "k.T", "pos.add".
    std::set<std::string> reads;
    std::set<std::size_t> selves; ///< offsets of `self`
    std::set<std::string> names;  ///< all other names: "torch", "device"; excludes keywords of calls
};
/// Collects the names in an expression. Throws Error{File} if the text is not an expression.
ExpressionNames namesIn(std::string_view source);

/// Rewrites an expression of the module at `path` for the outer model: `self.pos` becomes `self.layers.pos`.
std::string seenFromAbove(std::string source, std::string_view path);

/// Returns the Python expression that reads a path of the model: `self.layers` for "layers", `getattr(self.layers,
/// "0").pos` for "layers.0.pos".
std::string readText(std::string_view path);

} // namespace fx::py

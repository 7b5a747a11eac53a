// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <set>
#include <string>
#include <string_view>

/// The texts of constants that PyTorch computes while it loads a file (`Storage::expressionSource`): what they are made
/// from.
namespace fx::trace {

struct ExpressionNames {
    std::set<std::string>
        reads; ///< of the model: "layers.0.pos"; attributes and methods of the tensor may follow: "k.T", "pos.add"
    std::set<std::size_t> selves; ///< where the text says `self`
    std::set<std::string>
        names; ///< all other names that something is looked up in: "torch", "device"; no keywords of calls
};
/// Throws Error{File} when the text is no expression.
ExpressionNames namesIn(std::string_view source);

/// The text of an expression of the module at `path`, as one of the model around it: `self.pos` is `self.layers.pos`.
std::string seenFromAbove(std::string source, std::string_view path);

/// How Python reads what is at a path of the model: `self.layers` of "layers", `getattr(self.layers, "0").pos` of
/// "layers.0.pos".
std::string readText(std::string_view path);

} // namespace fx::trace

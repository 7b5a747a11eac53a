// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Expands functions and modules of torch.nn to calls of operators in a script's text (`core/ops/compositions.h`).
namespace fx::script {

/// Parameters of a function, or settings of a module, with their terms.
using Names = std::map<std::string, std::string, std::less<>>;

/// Returns a text in quotes.
std::string quotedTerm(const std::string& text);
/// Returns true if a term is an integer literal.
bool isIntegerTerm(std::string_view text);

/// Returns the body of a convolution of torch.nn, transposed or not, with this term as its weight; empty for settings
/// that a script cannot express. Without `padsByMode`, it pads with zeros, whatever its `padding_mode`.
std::string convolutionBody(const Module& module, const std::vector<std::string>& inputs, const std::string& weight,
                            bool padsByMode = true);

/// Adapts arguments whose form differs between Python's functions and the operators.
void adjustNames(std::string_view function, Names& names);
/// Returns a composition with its names replaced; empty if a script cannot express it. `depth` is the number of
/// enclosing compositions.
std::string expandedComposition(std::string_view composition, const Names& names, int depth);

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

/// How functions and modules of torch.nn become calls of operators in a script's text (`core/ops/compositions.h`).
namespace fx::script {

/// Parameters of a function, or settings of a module, with the terms that stand for them.
using Names = std::map<std::string, std::string, std::less<>>;

/// A text in quotes, and whether a term is a number without a fraction.
std::string quotedTerm(const std::string& text);
bool isIntegerTerm(std::string_view text);

/// Changes what some operators take otherwise than the functions in Python.
void adjustNames(std::string_view function, Names& names);
/// A composition with its names replaced; empty if it has no words in a script. `depth`: compositions around it.
std::string expandedComposition(std::string_view composition, const Names& names, int depth);

} // namespace fx::script

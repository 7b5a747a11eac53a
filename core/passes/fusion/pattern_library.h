// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <string>
#include <vector>

namespace fx {

/// A decomposed form of an operator, and the call that replaces it.
struct LibraryPattern {
    /// An argument that a matched call must have: a number (booleans are 0 and 1), at index `place` or by name; for a
    /// module call, the setting of that name. Arguments that neither the pattern nor a check mentions are not allowed.
    struct Check {
        std::string node; ///< name of the node in the pattern
        std::size_t place = 0;
        std::string name;
        double value = 0; ///< the only value allowed
    };
    /// An input of the pattern that must be a number.
    struct Constant {
        std::string input;  ///< parameter name in `source`
        double value = 0;   ///< the expected value, up to rounding
        bool isAny = false; ///< accepts any number
    };
    std::string name;          ///< operator name: "gelu"
    std::string source;        ///< Python text of a function `pattern`
    std::string replacement;   ///< Python text of a function `replacement` with the same inputs
    std::string aten;          ///< `replacement` for a graph of ATen operators; empty if there is no such form
    std::vector<Check> checks; ///< all must hold
    std::vector<Constant> constants;
    std::vector<std::string> vectors; ///< inputs that must be known to have one dimension
    std::string floats; ///< an input that must be known to have a floating-point dtype; empty: not checked
};

/// Returns all patterns, larger ones before those that they contain. Created on first use; thread-safe.
const std::vector<LibraryPattern>& patternLibrary();

/// Returns the operator names without duplicates, in library order.
std::vector<std::string> libraryNames();

/// Returns the spellings of a pattern node's target: operators, functions, methods, overloads, classes of torch.nn.
std::set<std::string> spellingsOf(const Node& node);

} // namespace fx

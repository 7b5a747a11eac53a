// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <string>
#include <vector>

namespace fx {

/// A decomposed form of an operator, and the call that takes its place.
struct LibraryPattern {
    /// An argument that a matched call must be given: a number (flags are 0 and 1), at `place` or by name. For a call
    /// of a module, its setting of that name. Arguments that neither the pattern nor a check mentions are not allowed.
    struct Check {
        std::string node; ///< of the pattern
        std::size_t place = 0;
        std::string name;
        double value = 0;
    };
    /// A constant of the pattern: an input that must be a number.
    struct Constant {
        std::string input;
        double value = 0;   ///< that it must be about
        bool isAny = false; ///< or any number
    };
    std::string name;        ///< of the operator: "gelu"
    std::string source;      ///< of a function `pattern`
    std::string replacement; ///< of a function `replacement` with the same inputs
    std::string aten;        ///< the same for a graph of ATen operators; empty if there is none
    std::vector<Check> checks;
    std::vector<Constant> constants;
    std::vector<std::string> vectors; ///< inputs that must be known to have one dimension
    std::string floats;               ///< an input that must be known to be of floats; empty if none
};

/// All patterns, those that contain others first. Made on first use; any thread.
const std::vector<LibraryPattern>& patternLibrary();

/// The names of the operators, each once, in the order of the library.
std::vector<std::string> libraryNames();

/// The ways to spell what a node of a pattern calls: operators, functions, methods, overloads, classes of torch.nn.
std::set<std::string> spellingsOf(const Node& node);

} // namespace fx

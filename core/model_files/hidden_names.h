// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"

#include <vector>

namespace fx {

/// Names of one kind, and the nodes of the model's own graph that bring them.
struct NamedBy {
    std::vector<std::string> names; ///< each once, in the order of the code
    std::vector<std::string> nodes;
};

/// Calls and imports in the code of a saved model that its graphs do not show.
struct HiddenNames {
    NamedBy calls;   ///< classes of named tuples that PyTorch does not define
    NamedBy imports; ///< for annotations and enums, or for nothing; but for modules whose import does nothing else
};

/// Returns the hidden names of the code that a GraphModule, a folder or Python source will have, nested graphs
/// included. Searches code that is kept for its imports. Linear. Throws Error{Refused} if something cannot be written
/// as code.
HiddenNames hiddenNames(const GraphModule& model, SavedAs format);

/// A function that the graphs of a model call and that may do more than compute.
struct OutsideCall {
    std::string name;               ///< "torch.from_file"
    bool isKnown;                   ///< it reaches files, processes or other code; false if Lancet does not know it
    std::vector<std::string> nodes; ///< the calls in the model's own graph
};

/// Returns the functions called in the model's graphs that reach files, processes or other code (core/ops/reach), and
/// those of torch that Lancet does not know. Linear.
std::vector<OutsideCall> callsOutside(const GraphModule& model);

/// Returns the plain attributes of the model that no node reads and that the format has no place for: those of code
/// that makes the model itself (folders, Python source). Excludes torch.fx's own, such as `_in_spec`.
std::vector<std::string> unreadAttributes(const GraphModule& model, SavedAs format);

} // namespace fx

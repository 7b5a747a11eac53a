// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"

#include <utility>

namespace fx {

/// An object that generated code imports or gives a name to.
struct CodeGlobal {
    std::string alias;  ///< the name in the code
    std::string object; ///< "mypkg.Point"; empty for an annotation that is text
    NodeId node;        ///< the first that needs it
};

/// A name that generated code calls, and the first node with such a call.
using CalledName = std::pair<std::string, NodeId>;

/// Names in generated code that its graph may not show.
struct CodeNames {
    std::vector<CodeGlobal> globals;      ///< beside those of every graph, in the order of the code
    std::vector<CalledName> tupleClasses; ///< classes of named tuples that PyTorch does not define, each once
    std::vector<CalledName> undefined;    ///< names that printed values call; nothing around the code may define them
};

/// Returns the result of `generatePython` and stores the names in its code in `names`.
PythonCode generatePython(const Graph& graph, CodeNames& names);

} // namespace fx

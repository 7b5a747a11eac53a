// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// Requires that the source of a constant, which code computes when it is loaded, calls nothing that accesses more than
/// its tensors (core/ops/reach) and reads no special attribute of Python (`__class__`). Throws Error{Refused} without a
/// node.
void requireComputation(std::string_view source);

/// Returns the line that imports a name of such a source, "import operator"; empty for a name that needs none. nullopt
/// if no import is known.
std::optional<std::string> importLine(const std::string& name);

/// Returns true for the named tuples of PyTorch whose class only holds its fields.
bool isTupleClassOfTorch(std::string_view qualifiedName);

/// Requires that calling `type`, the class of a named tuple in a file, can be such a call: PyTorch's own as above, else
/// a capitalised class of a package outside of Python's standard library. Graphs do not show the class, so saving
/// reports it (`foresee`). Throws Error{Refused} without a node.
void requireTupleClass(const Callable& type);

} // namespace fx

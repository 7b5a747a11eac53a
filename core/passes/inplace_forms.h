// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <string>
#include <vector>

namespace fx {

/// Returns the in-place overload of an operator overload; empty if no such overload exists, for views, and for other
/// targets. Mirrors torch.fx's `_maybe_get_inplace_op`.
std::string inplaceForm(const Node& node);

/// Returns the operator that an augmented assignment applies: "add" for `operator.iadd`, which the code has as `x +=
/// y`. Empty for other nodes, and for `@=`, which gives a new tensor in any case.
std::string_view augmentedOperator(const Node& node);

/// True if the first argument of an operator overload is a plain tensor.
bool takesTensorFirst(const Node& node);

/// Returns the view that a `*_scatter` call inverts ("torch.ops.aten.select.int"); empty for other calls.
std::string_view viewUndoneBy(const Node& node);

/// Returns the arguments of an operator call as text from index `place` on, defaults included. Equal texts mean equal
/// arguments.
std::vector<std::string> argumentTexts(const Node& node, std::size_t place);

} // namespace fx

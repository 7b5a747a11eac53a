// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// torch.fx `_maybe_get_inplace_op`: the overload that does in place what an operator overload does; empty if there is
/// none, for views, and for what is no overload.
std::string inplaceForm(const Node& node);

/// Whether the first argument of a call of an operator overload is a plain tensor.
bool takesTensorFirst(const Node& node);

/// The view that a `*_scatter` call undoes ("torch.ops.aten.select.int"); empty for other calls.
std::string_view viewUndoneBy(const Node& node);

/// The arguments of an operator call from `place` on as text, with those that are left to their defaults.
std::vector<std::string> argumentTexts(const Node& node, std::size_t place);

} // namespace fx

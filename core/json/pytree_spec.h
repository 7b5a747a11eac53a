// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// Throws Error{File} with a position in the text unless it has the form of `torch.utils._pytree.treespec_dumps`:
/// [version, {"type", "context", "children_spec"}]. Leaves have no type; the context of a dict or OrderedDict has as
/// many keys as it has children.
void checkPytreeSpec(const std::string& text);

} // namespace fx

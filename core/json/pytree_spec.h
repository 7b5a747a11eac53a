// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// Throws Error{File}, whose place is one inside the text, unless this is what `torch.utils._pytree.treespec_dumps`
/// writes: [version, {"type", "context", "children_spec"}]. Leaves have no type; a dict or OrderedDict has in its
/// context as many keys as children.
void checkPytreeSpec(const std::string& text);

} // namespace fx

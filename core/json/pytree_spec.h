// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// Checks that `text` has the form of `torch.utils._pytree.treespec_dumps`: [version, {"type", "context",
/// "children_spec"}]. Leaves have no type; the context of a dict or OrderedDict has one key per child. Throws
/// Error{File} with a position in the text otherwise.
void checkPytreeSpec(const std::string& text);

} // namespace fx

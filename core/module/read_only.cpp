// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/read_only.h"

namespace fx {

void requireChangeable(const GraphModule& model) {
    if (!isReadOnly(model)) return;
    const std::string method = model.modelName.substr(0, model.modelName.size() - kInsideGraph.size());
    throw Error(ErrorKind::Refused, Message("script.read_only", {{"graph", method}})).in(model.path);
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// The texts on a node.
struct NodeLabel {
    std::string title;    ///< name
    std::string subtitle; ///< "self.layer1.0.conv1(relu)", "operator.add(bn2, maxpool)", "x.view(-1, 10)"
    std::string shape;    ///< "64×56×56" or empty
};

/// The label of a node. Long argument lists are truncated.
NodeLabel labelOf(const GraphModule& module, const Node& node);

} // namespace fx

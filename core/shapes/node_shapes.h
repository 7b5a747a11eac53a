// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A value that a failed node was given.
struct ShapeOperand {
    std::string name;   ///< of a node, or the path of a module's tensor ("conv1.weight")
    ValueInfo info;     ///< of its first tensor; without dtype when nothing is known
    std::string origin; ///< the nearest node above it that gave the tensor its shape; itself when it did; empty for a
                        ///< module's tensor
};

/// A node whose shape could not be found out, and why.
struct ShapeFailure {
    std::string node;
    std::string what, hint;
    bool needsValues = false; ///< not wrong: only a run with real values can tell
    std::vector<ShapeOperand> operands;
    std::string cause; ///< the node whose shape is responsible as far as one can say; empty: unknown
};

/// What is known of the values of a graph's nodes, by name, in graph order. Nodes that failed or depend on such are not
/// in it; values that hold no tensor are there with an empty list.
struct NodeShapes {
    std::vector<std::pair<std::string, std::vector<ValueInfo>>> nodes;
    std::vector<ShapeFailure> failures;
    bool ran = false; ///< the model was run with values; otherwise only shapes were computed
    double millis = 0;
};

/// The memory format that torch.fx's TensorMetadata has for the tensor: "torch.contiguous_format",
/// "torch.channels_last", "torch.channels_last_3d" or "" (None). Empty for symbolic sizes.
std::string_view memoryFormat(const ValueInfo& info);

} // namespace fx

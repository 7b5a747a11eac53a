// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/node.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// An input of a failed node.
struct ShapeOperand {
    std::string name;   ///< of a node, or the path of a module's tensor ("conv1.weight")
    ValueInfo info;     ///< of its first tensor; without dtype if unknown
    std::string origin; ///< the nearest node above it, or itself, that determined the shape; empty for a
                        ///< module's tensor
};

/// A node whose shape could not be inferred, with the reason.
struct ShapeFailure {
    std::string node;
    Message what;
    std::string hint;
    bool needsValues = false; ///< not an error: only a run with values can determine the shape
    std::vector<ShapeOperand> operands;
    std::string cause;        ///< the node whose shape is the likely cause, or empty
    bool causeIsEdit = false; ///< an edit is: that node was made or changed by one (`blameEdits`)
};

/// Known values of a graph's nodes, by name, in graph order. Failed nodes and their dependents are missing; values
/// without tensors have an empty list.
struct NodeShapes {
    std::vector<std::pair<std::string, std::vector<ValueInfo>>> nodes;
    std::vector<ShapeFailure> failures;
    bool ran = false; ///< whether the model was run with values; otherwise only shapes were inferred
    double millis = 0;
};

/// The memory format of the tensor in torch.fx's TensorMetadata: "torch.contiguous_format",
/// "torch.channels_last", "torch.channels_last_3d" or "" (None). Empty for symbolic sizes.
std::string_view memoryFormat(const ValueInfo& info);

} // namespace fx

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
    std::string name;   ///< name of the node, or path of the tensor of a module ("conv1.weight")
    ValueInfo info;     ///< its first tensor; without dtype if unknown
    std::string origin; ///< nearest node above it, or itself, that determined the shape; empty for a tensor of a module
};

/// A node whose shape could not be inferred, and the reason.
struct ShapeFailure {
    std::string node;                   ///< graph name
    Message what;                       ///< reason
    std::string hint;                   ///< remedy, or empty
    bool needsValues = false;           ///< not an error: the shape depends on values, so only a run can determine it
    std::vector<ShapeOperand> operands; ///< inputs of the node
    std::string cause;                  ///< node whose shape is the likely cause, or empty
    bool causeIsEdit = false;           ///< an edit created or changed that node (`blameEdits`)
};

/// The values of the nodes of a graph, by name, in graph order. Failed nodes and their dependents are missing. Values
/// without tensors have an empty list.
struct NodeShapes {
    std::vector<std::pair<std::string, std::vector<ValueInfo>>> nodes; ///< by name, in graph order
    std::vector<ShapeFailure> failures;                                ///< nodes that failed, in graph order
    bool ran = false; ///< the model was run with values; otherwise only shapes were inferred
    /// The shape of an input was guessed from the layers, so the model may be meant for other dimensions.
    bool guessed = false;
    /// The duration in milliseconds.
    double millis = 0;
};

/// Returns the memory format in torch.fx's TensorMetadata: "torch.contiguous_format", "torch.channels_last",
/// "torch.channels_last_3d" or "" (None). Empty for symbolic sizes.
std::string_view memoryFormat(const ValueInfo& info);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

namespace fx {

/// A model cut into stages for a pipeline of processes: stage k takes the outputs of stage k - 1.
///
///     x ─▶ [conv] ─▶ conv, x ─▶ [relu] ─▶ relu, x ─▶ [add] ─▶ out        x passes through the stages between
struct Pipeline {
    std::vector<GraphModule> stages;
    std::vector<std::string> inputs; ///< of the model: those of the first stage
    Argument output; ///< the result of the model; integers instead of nodes are indices of values of the last stage
};

/// Stages for `torch.distributed.pipelining`. Parameters, also those that an export lifted to inputs, and the graphs of
/// higher-order operators are in each stage that reads them; getitems stay with their producer, because only tensors
/// are sent. `assignment`: from splitIntoStages, or any in which no call feeds an earlier part. Throws Error{Refused}
/// if one does, if a number (a size) crosses, if one stage writes to a parameter or buffer that another reads, if
/// nothing crosses from a stage to the next, and for an exported program with inputs that are not tensors. O(stages *
/// crossing values + nodes).
Pipeline makePipeline(const GraphModule& model, const SplitAssignment& assignment);

} // namespace fx

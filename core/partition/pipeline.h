// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

namespace fx {

/// A model cut into stages for a pipeline of processes. Stage k receives the outputs of stage k - 1.
///
///     x ─▶ [conv] ─▶ conv, x ─▶ [relu] ─▶ relu, x ─▶ [add] ─▶ out        x passes through the stages between
struct Pipeline {
    std::vector<GraphModule> stages; ///< at least one
    std::vector<std::string> inputs; ///< inputs of the model, and thus of the first stage
    Argument output; ///< the result of the model; integers, in place of nodes, are indices of the last stage's outputs
};

/// Creates stages for `torch.distributed.pipelining`. Each stage has the parameters that it reads, including those
/// lifted to inputs by an export, and the graphs of higher-order operators. A `getitem` stays with its producer,
/// because only tensors are sent. `assignment` comes from splitIntoStages, or is any other in which no call feeds an
/// earlier part. Throws Error{Refused} if a call does, if a number (a size) crosses stages, if one stage writes to a
/// parameter or buffer that another reads, if nothing crosses from a stage to the next, and for an exported program
/// with inputs other than tensors. O(stages * crossing values + nodes).
Pipeline makePipeline(const GraphModule& model, const SplitAssignment& assignment);

} // namespace fx

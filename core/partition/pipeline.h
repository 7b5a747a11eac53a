// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

namespace fx {

/// A model cut into stages that hand everything on, as a pipeline of processes needs it: stage k takes what stage k - 1
/// gives.
///
///     x ─▶ [conv] ─▶ conv, x ─▶ [relu] ─▶ relu, x ─▶ [add] ─▶ out        x passes through the stages between
struct Pipeline {
    std::vector<GraphModule> stages;
    std::vector<std::string> inputs; ///< of the model: those of the first stage
    Argument output; ///< what the model returns; integers in place of nodes say which value of the last stage
};

/// Stages for `torch.distributed.pipelining`. Parameters, also those that an export lifted to inputs, and the graphs of
/// higher-order operators are in each stage that reads them; getitems go with their producer, because only tensors are
/// sent. `assignment`: of splitIntoStages, or any in which no call feeds an earlier part. Throws Error{Refused} when
/// one does, when a number (a size) crosses, when one stage writes to a parameter or buffer that another reads, when
/// nothing crosses from a stage to the next, and for an exported program with inputs that are no tensors. O(stages *
/// crossing values + nodes).
Pipeline makePipeline(const GraphModule& model, const SplitAssignment& assignment);

} // namespace fx

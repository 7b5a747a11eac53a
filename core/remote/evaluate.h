// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/remote/worker_client.h"

#include <functional>

namespace fx::remote {

/// Compute tensors from the texts of expressions ("torch.arange(4)"), in order.
struct EvaluateRequest {
    std::vector<std::string> expressions;
    std::uint64_t seed = 0;         ///< torch.manual_seed before the first
    ModelRef model;                 ///< given when one of them reads tensors of its model ("self.pos")
    std::vector<std::string> paths; ///< of the tensor that each of them stands for in the model
};
Frame toFrame(const EvaluateRequest& request, std::uint32_t number);
EvaluateRequest evaluateRequest(const Frame& frame);
Frame toFrame(const std::vector<TensorPtr>& tensors, std::uint32_t number);
std::vector<TensorPtr> evaluateResult(const Frame& frame);

/// The model with values in the place of tensors that are expressions; modules without such ones are shared with
/// `model`, and tensors that were one stay one. The worker is not started when there is nothing to compute. `wanted`:
/// which expressions; all when empty. Throws Error{Run} with the module path when one cannot be computed, and what
/// `WorkerClient::call` throws.
GraphModule evaluated(const GraphModule& model, WorkerClient& worker, std::uint64_t seed = 0,
                      const Progress& progress = {}, const std::function<bool(const TensorRef&)>& wanted = {});

} // namespace fx::remote

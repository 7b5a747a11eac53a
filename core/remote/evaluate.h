// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/remote/worker_client.h"

#include <functional>

namespace fx::remote {

/// A request to compute tensors from expressions ("torch.arange(4)"), in order.
struct EvaluateRequest {
    std::vector<std::string> expressions;
    std::uint64_t seed = 0;         ///< torch.manual_seed before the first
    ModelRef model;                 ///< set if an expression reads tensors of its model ("self.pos")
    std::vector<std::string> paths; ///< path of each tensor in the model
};
/// Encodes the request.
Frame toFrame(const EvaluateRequest& request, std::uint32_t number);
/// Decodes the request. Throws Error for invalid messages.
EvaluateRequest evaluateRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const std::vector<TensorPtr>& tensors, std::uint32_t number);
/// Decodes the result, one tensor per expression. Throws Error for invalid messages.
std::vector<TensorPtr> evaluateResult(const Frame& frame);

/// Returns the model with expressions replaced by their values. Modules without expressions are shared with `model`,
/// and shared tensors stay shared. Does not start the worker if there is nothing to compute. `wanted` selects
/// expressions; all if empty. Throws Error{Run} with the module path if an expression cannot be computed, and like
/// `WorkerClient::call`.
GraphModule evaluated(const GraphModule& model, WorkerClient& worker, std::uint64_t seed = 0,
                      const Progress& progress = {}, const std::function<bool(const TensorRef&)>& wanted = {});

} // namespace fx::remote

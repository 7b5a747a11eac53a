// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/verify.h"
#include "core/python/tracing/trace_definition.h"
#include "core/trace/callables.h"

#include <ATen/TensorOperators.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What tests of `verify` share: small models and runs of two of them.
namespace verifying {

using namespace fx;
using engine::TensorStore;
using engine::Value;
using engine::VerifySide;

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// A tensor of float32 random numbers.
inline at::Tensor random(std::vector<std::int64_t> sizes) { return engine::randomInput(sizes, at::kFloat, 0); }

/// A tensor of one dimension with these elements.
inline at::Tensor numbers(const std::vector<double>& values, at::ScalarType type = at::kFloat) {
    at::Tensor out = engine::randomInput({static_cast<std::int64_t>(values.size())}, at::kDouble, 0);
    for (std::size_t i = 0; i < values.size(); ++i) static_cast<double*>(out.mutable_data_ptr())[i] = values[i];
    return out.to(type);
}

/// A chain of calls: {"relu", "torch.relu"} is relu = torch.relu(what came before).
using Chain = std::vector<std::pair<std::string, std::string>>;
inline std::shared_ptr<GraphModule> chain(const Chain& calls, const std::vector<std::vector<Argument>>& more = {}) {
    auto model = std::make_shared<GraphModule>();
    NodeId last = model->graph.placeholder("x");
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::vector<Argument> args = {last};
        if (i < more.size()) args.insert(args.end(), more[i].begin(), more[i].end());
        last = model->graph.callFunction(resolveCallable(calls[i].second), args, {}, calls[i].first);
    }
    model->graph.output(last);
    return model;
}

/// One side with its own copy of the input.
inline VerifySide side(std::shared_ptr<GraphModule> model, Value input) {
    return {std::move(model), std::make_shared<TensorStore>(), {{engine::copyOf(input)}, {}}, {}};
}

/// Compares two models on one input. With `searchSeconds`, the search for further inputs ends when one differs,
/// whatever the machine has to do besides.
inline VerifyReport verified(const std::shared_ptr<GraphModule>& a, const std::shared_ptr<GraphModule>& b,
                             const Value& input, double searchSeconds = 0) {
    engine::VerifyOptions options;
    options.searchSeconds = searchSeconds;
    return engine::verify(side(a, input), side(b, input), options);
}

/// Compares two expressions of x.
inline VerifyReport ofSources(const std::string& a, const std::string& b, const Value& input,
                              double searchSeconds = 0) {
    const auto model = [](const std::string& body) {
        return std::make_shared<GraphModule>(traceFunctionSource("def net(x):\n    return " + body));
    };
    return verified(model(a), model(b), input, searchSeconds);
}

} // namespace verifying

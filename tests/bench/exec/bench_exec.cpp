// SPDX-License-Identifier: GPL-3.0-or-later
// What the interpreter costs over the calls that it makes: chains of small operators run by the Interpreter and by
// direct calls of the same operators, in turns; and the ResNet sample. One JSON line per figure. torch_figures.py
// beside this file prints the figures of torch.fx's Interpreter and of eager PyTorch for the same work.
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"
#include "core/model_files/open.h"
#include "core/trace/callables.h"

#include <ATen/ops/add.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using fx::engine::Interpreter;
using fx::engine::TensorStore;
using Clock = std::chrono::steady_clock;
constexpr int kNodes = 999;

/// relu, `x + y`, linear, and again: the kinds of calls that nets are made of.
std::shared_ptr<fx::GraphModule> chain() {
    auto model = std::make_shared<fx::GraphModule>();
    fx::Graph& graph = model->graph;
    const fx::NodeId x = graph.placeholder("x"), weight = graph.placeholder("w");
    fx::NodeId last = x;
    for (int i = 0; i < kNodes / 3; ++i) {
        last = graph.callFunction(fx::resolveCallable("torch.relu"), {last});
        last = graph.callFunction(fx::resolveCallable("operator.add"), {last, x});
        last = graph.callFunction(fx::resolveCallable("torch.nn.functional.linear"), {last, weight});
    }
    graph.output(last);
    return model;
}

at::Tensor direct(const at::Tensor& x, const at::Tensor& weight) {
    const c10::InferenceMode inference;
    at::Tensor last = x;
    for (int i = 0; i < kNodes / 3; ++i) {
        last = at::relu(last);
        last = at::add(last, x);
        last = at::linear(last, weight);
    }
    return last;
}

double micros(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}
double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void chains() {
    const auto model = chain();
    Interpreter interpreter(model, std::make_shared<TensorStore>());
    const at::Tensor x = fx::engine::randomInput({1, 4}, at::kFloat, 0),
                     weight = fx::engine::randomInput({4, 4}, at::kFloat, 0);
    const fx::engine::RunInputs inputs{{x, weight}, {}};
    std::vector<double> ours, theirs;
    for (int run = 0; run < 300; ++run) {
        auto start = Clock::now();
        interpreter.run(inputs);
        ours.push_back(micros(start));
        start = Clock::now();
        direct(x, weight);
        theirs.push_back(micros(start));
    }
    const double a = median(ours) / kNodes, b = median(theirs) / kNodes;
    std::printf("{\"bench\": \"exec\", \"what\": \"chain\", \"nodes\": %d, \"micros_per_node\": %.3f, \"direct\": "
                "%.3f, \"over\": %.3f, \"goal\": \"<= 0.2 over direct calls\"}\n",
                kNodes, a, b, a - b);
}

void resnet() {
    const std::shared_ptr<const fx::GraphModule> model =
        fx::openModel(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
    Interpreter interpreter(model, std::make_shared<TensorStore>());
    const fx::engine::RunInputs inputs{{fx::engine::randomInput({1, 3, 224, 224}, at::kFloat, 0)}, {}};
    std::vector<double> times;
    for (int run = 0; run < 40; ++run) {
        const auto start = Clock::now();
        interpreter.run(inputs);
        times.push_back(micros(start) / 1000);
    }
    std::printf("{\"bench\": \"exec\", \"what\": \"resnet sample, 1x3x224x224\", \"nodes\": %zu, \"millis\": %.3f, "
                "\"min\": %.3f}\n",
                model->graph.size(), median(times), *std::min_element(times.begin(), times.end()));
}

} // namespace

int main() {
    fx::engine::setThreads(1);
    chains();
    resnet();
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

/// Helpers of the benchmarks of matching, rewriting and editing. tests/bench/match/chain.py builds the same graphs with
/// torch.fx.
namespace bench {

/// Returns a chain of relu and neg in turn.
inline fx::GraphModule chain(int pairs) {
    const fx::CallablePtr neg = fx::resolveCallable("torch.neg"), relu = fx::resolveCallable("torch.relu");
    fx::GraphModule net;
    fx::NodeId last = net.graph.placeholder("x");
    for (int i = 0; i < pairs; ++i) last = net.graph.callFunction(neg, {net.graph.callFunction(relu, {last})});
    net.graph.output(last);
    return net;
}

/// Returns a chain of pairs of Linear and ReLU modules, all children of the root.
inline fx::GraphModule wideModules(int pairs) {
    fx::GraphModule net;
    fx::NodeId last = net.graph.placeholder("x");
    for (int i = 0; i < 2 * pairs; ++i) {
        auto module = std::make_shared<fx::Module>();
        module->className = i % 2 ? "ReLU" : "Linear";
        module->classModule = i % 2 ? "torch.nn.modules.activation" : "torch.nn.modules.linear";
        net.root->children.push_back({"layer" + std::to_string(i), module});
        last = net.graph.createNode(fx::Op::CallModule, "layer" + std::to_string(i), {last});
    }
    net.graph.output(last);
    return net;
}

/// Prints median and minimum of `runs` results of `work()`, in milliseconds.
template<class Work>
void measure(const char* topic, const char* what, std::size_t nodes, const char* goal, int runs, Work work) {
    std::vector<double> millis;
    for (int run = 0; run < runs; ++run) millis.push_back(work());
    std::sort(millis.begin(), millis.end());
    std::printf(
        "{\"bench\": \"%s\", \"what\": \"%s\", \"nodes\": %zu, \"millis\": %.4f, \"min\": %.4f, \"goal\": \"%s\"}\n",
        topic, what, nodes, millis[millis.size() / 2], millis[0], goal);
    std::fflush(stdout);
}

/// Returns the milliseconds of processor time of this thread, which exclude other work on the machine.
template<class Work> double millisOf(const Work& work) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    };
    const double start = now();
    work();
    return now() - start;
}

} // namespace bench

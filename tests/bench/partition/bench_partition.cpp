// SPDX-License-Identifier: GPL-3.0-or-later
// Partitions of long graphs with 1 % unsupported nodes. One JSON line per figure; torch_fx.py measures PyTorch on the
// same graphs.
#include "core/partition/fuse.h"
#include "core/partition/rule_support.h"
#include "core/partition/split.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Every hundredth node is a sigmoid, every seventh adds the value of five nodes before, the others are relu. As in
/// torch_fx.py.
fx::GraphModule net(int length) {
    const fx::CallablePtr sigmoid = fx::resolveCallable("torch.sigmoid"), relu = fx::resolveCallable("torch.relu"),
                          add = fx::resolveCallable("operator.add");
    fx::GraphModule model;
    std::vector<fx::NodeId> nodes{model.graph.placeholder("x")};
    for (int i = 1; i <= length; ++i) {
        if (i % 100 == 50) nodes.push_back(model.graph.callFunction(sigmoid, {nodes.back()}));
        else if (i % 7 == 0) nodes.push_back(model.graph.callFunction(add, {nodes.back(), nodes[nodes.size() - 6]}));
        else nodes.push_back(model.graph.callFunction(relu, {nodes.back()}));
    }
    model.graph.output(nodes.back());
    return model;
}

template<class Work> void measure(const char* what, int nodes, const char* goal, const Work& work) {
    std::vector<double> millis;
    for (int run = 0; run < 7; ++run) millis.push_back(work());
    std::sort(millis.begin(), millis.end());
    std::printf("{\"bench\": \"partition\", \"what\": \"%s\", \"nodes\": %d, \"millis\": %.3f, \"goal\": \"%s\"}\n",
                what, nodes, millis[millis.size() / 2], goal);
    std::fflush(stdout);
}

void measureAll(int length, const char* goal) {
    const fx::GraphModule model = net(length);
    const fx::SupportRules rules = fx::SupportRules::parseText(R"({"unsupported": [{"target": "torch.sigmoid"}]})");
    const fx::RuleSupport support(rules, model);
    measure("rules", length, "", [&] {
        const auto start = Clock::now();
        const fx::RuleSupport again(rules, model);
        return since(start);
    });
    for (const bool vertical : {false, true})
        measure(vertical ? "propose_partitions, vertical only" : "propose_partitions", length, vertical ? "" : goal,
                [&] {
                    const auto start = Clock::now();
                    fx::CapabilityBasedPartitioner partitioner(model, support, {false, {}, {}, vertical});
                    (void)partitioner.proposePartitions();
                    return since(start);
                });
    fx::CapabilityBasedPartitioner partitioner(model, support);
    const auto partitions = partitioner.proposePartitions();
    measure("reasons", length, "", [&] {
        const auto start = Clock::now();
        (void)partitioner.unassigned(partitions);
        (void)partitioner.notMerged(partitions);
        return since(start);
    });
    measure("fuse_partitions", length, "", [&] {
        fx::GraphModule copy = model;
        const auto start = Clock::now();
        fx::fuseByPartitions(copy, partitions);
        return since(start);
    });
    measure("split_module", length, "", [&] {
        const auto start = Clock::now();
        (void)fx::splitModule(model, fx::splitByPartitions(model.graph, partitions));
        return since(start);
    });
}

} // namespace

int main() {
    measureAll(1000, "1 ms");
    measureAll(4000, "4 ms");
    measureAll(10'000, "10 ms");
    measureAll(40'000, "40 ms");
    measureAll(100'000, "");
}

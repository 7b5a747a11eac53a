// SPDX-License-Identifier: GPL-3.0-or-later
// Matches, replacements and single edits in chains. One JSON line per figure; torch.fx needs 335-558 ms for 1,000 and 111 s for
// 10,000 replacements (measured once, PyTorch 2.13.0).
#include "core/edit/recipe.h"
#include "core/match/near_miss.h"
#include "core/match/rewriter.h"
#include "core/trace/function_source.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// relu and neg in turn.
fx::GraphModule chain(int pairs) {
    const fx::GraphModule calls = fx::traceFunctionSource("def f(x):\n    return torch.neg(torch.relu(x))\n");
    const fx::CallablePtr relu = calls.graph.node(calls.graph.find("relu")).callable(), neg = calls.graph.node(calls.graph.find("neg")).callable();
    fx::GraphModule net;
    fx::NodeId last = net.graph.placeholder("x");
    for (int i = 0; i < pairs; ++i) last = net.graph.callFunction(neg, {net.graph.callFunction(relu, {last})});
    net.graph.output(last);
    return net;
}

void print(const char* what, std::size_t nodes, std::vector<double> millis, const char* goal) {
    std::sort(millis.begin(), millis.end());
    std::printf("{\"bench\": \"match\", \"what\": \"%s\", \"nodes\": %zu, \"millis\": %.4f, \"goal\": \"%s\"}\n", what, nodes, millis[millis.size() / 2], goal);
    std::fflush(stdout);
}

} // namespace

int main() {
    const fx::GraphModule pattern = fx::traceFunctionSource("def pattern(x):\n    return torch.neg(torch.relu(x))\n");
    const fx::GraphModule replacement = fx::traceFunctionSource("def replacement(x):\n    return torch.sigmoid(x)\n");
    for (const int pairs : {1000, 10'000, 500'000}) {
        const fx::GraphModule net = chain(pairs);
        const char* goal = pairs == 1000 ? "3 ms" : pairs == 10'000 ? "30 ms" : "";
        std::vector<double> matching, replacing;
        for (int run = 0; run < 3; ++run) {
            auto start = Clock::now();
            (void)fx::SubgraphMatcher(pattern).match(net);
            matching.push_back(since(start));
            fx::GraphModule copy = net;
            start = Clock::now();
            (void)fx::replacePattern(copy, pattern, replacement);
            replacing.push_back(since(start));
        }
        print("match", net.graph.size(), matching, "");
        print("replace", net.graph.size(), replacing, goal);
    }
    const fx::GraphModule net = chain(5'000), other = fx::traceFunctionSource("def pattern(x):\n    return torch.neg(torch.sin(torch.neg(x)))\n");
    std::vector<double> explaining;
    for (int run = 0; run < 5; ++run) {
        const auto start = Clock::now();
        (void)fx::explain(net, other);
        explaining.push_back(since(start));
    }
    print("near misses", net.graph.size(), explaining, "100 ms");
    const fx::GraphModule large = chain(50'000);
    const fx::Recipe recipe = fx::Recipe::parse(R"({"lancet_recipe": 1, "steps": [{"step": "insert_after", "node": "relu_25000", "op": "call_function",
        "target": "torch.relu", "args": [{"node": "relu_25000"}], "rewire_users": true}]})");
    std::vector<double> editing;
    for (int run = 0; run < 200; ++run) {
        fx::Warnings warnings;
        const auto start = Clock::now();
        {
            fx::GraphModule edited = large; // undo goes back to `large`
            fx::applyStep(edited, recipe.steps()[0], warnings);
        }
        editing.push_back(since(start));
    }
    print("one edit and undo", large.graph.size(), editing, "0.05 ms");
}

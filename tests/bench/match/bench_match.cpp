// SPDX-License-Identifier: GPL-3.0-or-later
// Matches, filters and near misses in chains. One JSON line per figure; torch_fx.py measures PyTorch on the same
// graphs.
#include "core/edit/match_condition.h"
#include "core/match/near_miss.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/bench/match/chain.h"

using bench::millisOf;

int main() {
    const fx::GraphModule pattern = fx::traceFunctionSource("def pattern(x):\n    return torch.neg(torch.relu(x))\n");
    for (const int pairs : {1000, 10'000, 500'000}) {
        const fx::GraphModule net = bench::chain(pairs);
        bench::measure("match", "match", net.graph.size(), "", 5,
                       [&] { return millisOf([&] { (void)fx::SubgraphMatcher(pattern).match(net); }); });
    }
    const fx::GraphModule other =
        fx::traceFunctionSource("def pattern(x):\n    return torch.neg(torch.sin(torch.neg(x)))\n");
    const fx::GraphModule net = bench::chain(5'000);
    bench::measure("match", "near misses", net.graph.size(), "100 ms", 5,
                   [&] { return millisOf([&] { (void)fx::explain(net, other); }); });
    const fx::GraphModule typed =
        fx::traceFunctionSource("def pattern(x, a: nn.Linear, b: nn.ReLU):\n    return b(a(x))\n");
    for (const int pairs : {1000, 10'000}) {
        const fx::GraphModule wide = bench::wideModules(pairs);
        const auto unknown = std::make_shared<std::size_t>();
        bench::measure("match", "match of typed modules and their filter", wide.graph.size(),
                       pairs == 1000 ? "3 ms" : "30 ms", 5, [&] {
                           const fx::MatchFilter filter =
                               fx::MatchCondition::parseText(R"({"node": "b", "module_type": "torch.nn.ReLU"})", typed)
                                   .filter(unknown);
                           return millisOf([&] {
                               for (const auto& match : fx::SubgraphMatcher(typed).match(wide))
                                   (void)filter(match, wide, typed);
                           });
                       });
    }
}

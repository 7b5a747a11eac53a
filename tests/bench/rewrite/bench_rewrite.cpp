// SPDX-License-Identifier: GPL-3.0-or-later
// Replacements in chains. One JSON line per figure; torch_fx.py measures PyTorch on the same graphs.
#include "core/edit/recipe.h"
#include "core/match/rewriter.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/bench/match/chain.h"

namespace {

void replacing(const char* what, const fx::GraphModule& net, const fx::GraphModule& pattern,
               const fx::GraphModule& replacement, const char* goal, const fx::RewriteOptions& options = {}) {
    bench::measure("rewrite", what, net.graph.size(), goal, 5, [&] {
        fx::GraphModule copy = net;
        return bench::millisOf([&] { (void)fx::replacePattern(copy, pattern, replacement, options); });
    });
}

} // namespace

int main() {
    const fx::GraphModule pattern = fx::traceFunctionSource("def pattern(x):\n    return torch.neg(torch.relu(x))\n");
    const fx::GraphModule replacement = fx::traceFunctionSource("def replacement(x):\n    return torch.sigmoid(x)\n");
    const fx::GraphModule typed =
        fx::traceFunctionSource("def pattern(x, a: nn.Linear, b: nn.ReLU):\n    return b(a(x))\n");
    const fx::GraphModule calling =
        fx::traceFunctionSource("def replacement(x, a: nn.Linear, b: nn.ReLU):\n    return torch.relu(a(x))\n");
    const fx::GraphModule owning = fx::traceDefinition(
        "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.lin = nn.Linear(8, 8)\n"
        "    def forward(self, x, a, b):\n        return torch.relu(self.lin(x))\n",
        {"R", true});
    fx::RewriteOptions module;
    module.replacementIsModule = true;
    for (const int pairs : {1000, 10'000, 500'000}) {
        const char* const goal = pairs == 10'000 ? "12 ms" : "";
        replacing("replace", bench::chain(pairs), pattern, replacement, goal);
        if (pairs > 10'000) continue;
        const fx::GraphModule wide = bench::wideModules(pairs);
        replacing("replace calls of typed modules", wide, typed, calling, pairs == 10'000 ? "30 ms" : "");
        replacing("replace by a module, unused ones go", wide, typed, owning, "", module);
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Passes in text over long graphs, from the file to the new graph. One JSON line per figure; torch_fx.py measures
// PyTorch with the same passes on the same graphs.
#include "core/textpasses/text_pass.h"
#include "tests/bench/match/chain.h"

#include <string>

namespace {

void passing(const char* what, const char* name, const fx::GraphModule& net, const char* goal) {
    const std::string path = std::string(LANCET_SOURCE_DIR "/tests/bench/textpasses/passes.py:") + name;
    bench::measure("textpasses", what, net.graph.size(), goal, 5, [&] {
        fx::GraphModule copy = net;
        fx::PassManager manager;
        manager.addPass(fx::textPass(path));
        fx::Warnings warnings;
        return bench::millisOf([&] { (void)manager.run(copy, warnings); });
    });
}

} // namespace

int main() {
    for (const int pairs : {500, 5000, 50'000}) {
        const fx::GraphModule net = bench::chain(pairs);
        const bool isMeasured = pairs == 5000;
        passing("one-to-one, new nodes", "one_to_one", net, isMeasured ? "30 ms" : "");
        passing("one-to-one, in place", "retarget", net, isMeasured ? "30 ms" : "");
        passing("Transformer", "Replacing", net, isMeasured ? "20 ms" : "");
    }
    return 0;
}

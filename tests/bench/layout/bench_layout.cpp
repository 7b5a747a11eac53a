// SPDX-License-Identifier: GPL-3.0-or-later
// First pictures of graphs like ResNet, DenseNet-121 and transformers with a mask that feeds every layer: all groups
// closed, and all open. One JSON line per figure, the median of five runs, each with a Layout of its own.
#include "core/layout/layout.h"
#include "tests/support/model_graphs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using model_graphs::ModulePtr;

double medianMillis(const ModulePtr& module, bool expandAll) {
    std::vector<double> millis;
    for (int run = 0; run < 5; ++run) {
        fx::LayoutOptions options;
        options.expandAll = expandAll;
        const auto start = std::chrono::steady_clock::now();
        fx::Layout layout(module);
        const auto picture = layout.layered(options);
        millis.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(millis.begin(), millis.end());
    return millis[2];
}

void figures(const char* model, const ModulePtr& module, const char* goal) {
    for (const bool open : {false, true})
        std::printf(
            "{\"bench\": \"layout\", \"what\": \"%s %s\", \"nodes\": %zu, \"millis\": %.3f, \"goal\": \"%s\"}\n", model,
            open ? "all open" : "closed", module->graph.size(), medianMillis(module, open), goal);
    std::fflush(stdout);
}

} // namespace

int main() {
    figures("densenet-121", model_graphs::densenet({6, 12, 24, 16}), "100 ms");
    for (const int blocks : {14, 36, 360, 3600})
        figures("resnet", model_graphs::resnet(blocks),
                blocks == 360    ? "300 ms closed, 1 s open"
                : blocks == 3600 ? "1 s closed, 3 s open"
                                 : "");
    for (const int layers : {16, 39, 390, 3900})
        figures("transformer with mask", model_graphs::transformer(layers),
                layers == 39     ? "50 ms"
                : layers == 3900 ? "1 s closed, 3 s open"
                                 : "");
    figures("random", model_graphs::randomDag(10000, 60, 7), "");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Tracing Python source from text to graph: the file is parsed, the class constructed with shapes in the place of
// weights, its forward followed. One JSON line per figure: the medians of several runs, elapsed and processor time.
// torch_fx.py beside this file prints torch.fx's figures for the same classes, without their construction, which
// `modules` contains and `construction alone` is.
// `lancet-bench-source CLASS NODES` traces one of them once, for a profiler.
#include "core/python/tracing/trace_file.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace {
using Clock = std::chrono::steady_clock;

/// `counted`: by how many nodes the time is divided; 0: those of the graph.
void figure(const char* what, const fx::SourceOptions& options, const char* goal, int runs, std::size_t counted = 0) {
    std::vector<double> millis, processor;
    std::size_t nodes = 0;
    for (int run = 0; run < runs; ++run) {
        const auto start = Clock::now();
        const std::clock_t used = std::clock();
        nodes = fx::traceFile(LANCET_SOURCE_DIR "/tests/bench/source/nets.py", options, {})->graph.size();
        processor.push_back(1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
        millis.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    if (counted) nodes = counted;
    std::sort(millis.begin(), millis.end());
    std::sort(processor.begin(), processor.end());
    const double median = processor[processor.size() / 2];
    std::printf(
        "{\"bench\": \"source\", \"what\": \"%s\", \"nodes\": %zu, \"millis\": %.4f, \"processor_millis\": %.4f, "
        "\"us_per_node\": %.3f, \"goal\": \"%s\"}\n",
        what, nodes, millis[millis.size() / 2], median, 1000 * median / static_cast<double>(nodes), goal);
    std::fflush(stdout);
}

void figureOf(const char* what, const std::string& name, int nodes, int runs, const char* goal = "2 us per node") {
    fx::SourceOptions options;
    options.name = name;
    options.args = {fx::Argument(std::int64_t{nodes / 4})};
    options.weights = fx::NewWeights::ShapesOnly;
    figure(what, options, goal, runs, static_cast<std::size_t>(nodes));
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 3) {
        figureOf(argv[1], argv[1], std::stoi(argv[2]), 1);
        return 0;
    }
    for (const int nodes : {1000, 10'000, 100'000, 1'000'000}) {
        figureOf("loop", "Chain", nodes, nodes > 100'000 ? 1 : 5);
        figureOf("modules", "Deep", nodes, nodes > 100'000 ? 1 : 5);
        figureOf("modules, construction alone", "Built", nodes, nodes > 100'000 ? 1 : 5, "");
    }
    fx::SourceOptions resnet;
    resnet.name = "ResNet";
    resnet.weights = fx::NewWeights::ShapesOnly;
    figure("resnet152", resnet, "50 ms", 5);
    resnet.weights = fx::NewWeights::Drawn;
    figure("resnet152 with weights", resnet, "", 1);
    return 0;
}

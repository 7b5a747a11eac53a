// SPDX-License-Identifier: GPL-3.0-or-later
// Tracing saved code, generating code, printing, linting, walking and editing graphs of 1k to 100k nodes. One JSON line
// per figure: the medians of several runs, elapsed and processor time, which other programs disturb less.
// torch_fx_figures.py beside this file prints torch.fx's figures for the same graphs.
#include "core/codegen/python_code.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"
#include "core/trace/retrace.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace {
using Clock = std::chrono::steady_clock;

/// Blocks of conv, batch norm, relu, functional gelu, add with a skip and a method: five nodes and a half each.
std::string codeOf(std::size_t nodes) {
    std::string code = "\n\n\ndef forward(self, x):\n";
    std::string last = "x";
    const auto line = [&](const std::string& name, const std::string& expression) {
        code += "    " + name + " = " + expression + "\n";
        last = name;
    };
    for (std::size_t i = 0; i * 6 < nodes; ++i) {
        const std::string n = std::to_string(i), skip = last;
        line("conv_" + n, "getattr(self.layers, \"" + n + "\").conv(" + last + ")");
        line("bn_" + n, "getattr(self.layers, \"" + n + "\").bn(" + last + ");  conv_" + n + " = None");
        line("relu_" + n, "torch.nn.functional.relu(" + last + ", inplace = False);  bn_" + n + " = None");
        line("add_" + n, "relu_" + n + " + " + skip);
        line("view_" + n, last + ".view(-1, 16, (2, 3))");
        line("size_" + n, last + ".size(0)");
        last = "view_" + n;
    }
    return code + "    return " + last + "\n    ";
}

fx::GraphModule moduleFor(std::size_t nodes) {
    fx::GraphModule module;
    auto layers = std::make_shared<fx::Module>();
    for (std::size_t i = 0; i * 6 < nodes; ++i) {
        auto block = std::make_shared<fx::Module>();
        block->children.push_back({"conv", std::make_shared<fx::Module>()});
        block->children.push_back({"bn", std::make_shared<fx::Module>()});
        layers->children.push_back({std::to_string(i), block});
    }
    module.root->children.push_back({"layers", layers});
    return module;
}

template<class Work> void figure(const char* what, std::size_t nodes, const char* goal, Work work) {
    std::vector<double> millis, processor;
    for (int run = 0; run < 7; ++run) {
        const auto start = Clock::now();
        const std::clock_t used = std::clock();
        work();
        processor.push_back(1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
        millis.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::sort(millis.begin(), millis.end());
    std::sort(processor.begin(), processor.end());
    std::printf("{\"bench\": \"core\", \"what\": \"%s\", \"nodes\": %zu, \"millis\": %.4f, \"min\": %.4f, \"max\": "
                "%.4f, \"processor_millis\": %.4f, \"goal\": \"%s\"}\n",
                what, nodes, millis[3], millis.front(), millis.back(), processor[3], goal);
    std::fflush(stdout);
}
} // namespace

int main() {
    const std::string imports = "import torch\n";
    for (const std::size_t nodes : {1000u, 10000u, 100000u}) {
        const std::string code = codeOf(nodes);
        const fx::GraphModule empty = moduleFor(nodes);
        fx::GraphModule module = empty;
        figure("retrace", nodes, "2 us per node", [&] {
            module = empty;
            fx::retraceSavedCode(module, imports, code);
        });
        const fx::Graph& graph = module.graph;
        figure("code", nodes, "5 ms at 10k", [&] { fx::generatePython(graph); });
        figure("print", nodes, "", [&] { fx::graphText(graph); });
        figure("lint", nodes, "1 ms at 10k", [&] { fx::lint(graph); });
        std::size_t inputs = 0;
        figure("iterate", nodes, "200 M nodes/s", [&] {
            for (const auto& node : graph.nodes()) inputs += node.inputs().size();
        });
        figure("snapshot", nodes, "1 ms at 100k", [&] { inputs += fx::Graph(graph).size(); });
        fx::Graph edited = graph;
        figure("insert and erase", nodes, "0.05 ms at 100k", [&] {
            edited.setInsertPoint({fx::InsertPoint::Side::After, edited.first()});
            edited.erase(edited.createNode(fx::Op::CallMethod, "neg", {edited.first()}));
        });
        if (inputs == 0) return 1; // keeps the walk from being optimised away
    }
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, saving and opening again: chains of 1k to 100k calls of modules with a weight each. One JSON line per
// figure: elapsed and processor time, which other programs on the machine disturb less. With arguments: the files to
// open instead.
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>

namespace {

fx::GraphModule chain(int modules) {
    fx::GraphModule model;
    auto layers = std::make_shared<fx::Module>();
    layers->className = "ModuleList";
    layers->classModule = "torch.nn.modules.container";
    model.root->children.push_back({"layers", layers});
    fx::NodeId last = model.graph.placeholder("x");
    for (int i = 0; i < modules; ++i) {
        auto linear = std::make_shared<fx::Module>();
        linear->className = "Linear";
        linear->classModule = "torch.nn.modules.linear";
        linear->attributes = {{"in_features", fx::Argument(2)}, {"out_features", fx::Argument(2)}};
        auto weight = std::make_shared<fx::TensorRef>();
        weight->sizes = weight->strides = {2, 2};
        weight->strides[1] = 1;
        weight->isParameter = weight->requiresGrad = true;
        weight->storage = fx::Storage::inMemory(std::vector<std::byte>(16));
        linear->parameters = {{"weight", weight}, {"bias", nullptr}};
        layers->children.push_back({std::to_string(i), linear});
        last = model.graph.createNode(fx::Op::CallModule, "layers." + std::to_string(i), {last});
    }
    model.graph.output(last);
    return model;
}

template<class Work> void figure(const std::string& what, std::size_t nodes, const char* goal, Work work) {
    std::vector<double> millis, processor;
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t used = std::clock();
        work();
        processor.push_back(1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
        millis.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(millis.begin(), millis.end());
    std::sort(processor.begin(), processor.end());
    std::printf("{\"bench\": \"load\", \"what\": \"%s\", \"nodes\": %zu, \"millis\": %.3f, \"processor_millis\": %.3f, "
                "\"goal\": \"%s\"}\n",
                what.c_str(), nodes, millis[2], processor[2], goal);
    std::fflush(stdout);
}

} // namespace

int main(int count, char** files) {
    for (int i = 1; i < count; ++i)
        figure("open " + std::filesystem::path(files[i]).filename().string(), fx::openModel(files[i])->graph.size(), "",
               [&] { fx::openModel(files[i]); });
    if (count > 1) return 0;
    const auto path = (std::filesystem::temp_directory_path() / "lancet-bench-load.pt").string();
    for (const int modules : {1000, 10'000}) {
        const fx::GraphModule model = chain(modules);
        figure("save", model.graph.size(), modules == 10'000 ? "60 ms" : "",
               [&] { fx::saveGraphModule(model, path, false); });
        figure("open", model.graph.size(), modules == 10'000 ? "60 ms" : "", [&] { fx::openModel(path); });
    }
    std::filesystem::remove(path);
}

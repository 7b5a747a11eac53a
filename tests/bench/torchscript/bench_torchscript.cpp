// SPDX-License-Identifier: GPL-3.0-or-later
// Importing TorchScript: the files that are named, or those that make_models.py wrote into the folder for temporary
// files. One JSON line per figure: LibTorch's own load, then the description that the worker sends, then the graph
// that is made of it.
#include "core/json/json_document.h"
#include "core/model_files/open.h"
#include "core/remote/script_message.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
double millisSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(const std::string& path) {
    constexpr int kRuns = 5;
    fx::remote::WorkerClient worker({{LANCET_WORKER}, true, 0});
    std::vector<double> loading, describing, importing;
    fx::script::ProgramText program;
    std::size_t nodes = 0;
    for (int run = 0; run < kRuns; ++run) {
        const Clock::time_point start = Clock::now();
        program = fx::remote::describeByWorker(path, {}, worker);
        const auto document = fx::JsonDocument::parse(program.json);
        loading.push_back(document->root().at("load_millis").asDouble());
        describing.push_back(millisSince(start) - loading.back());
        fx::OpenOptions options;
        options.readers.script = [&](const std::string&, const fx::Progress&) { return program; };
        const Clock::time_point described = Clock::now();
        nodes = fx::openModel(path, options)->graph.size();
        importing.push_back(millisSince(described));
    }
    std::printf("{\"bench\": \"torchscript\", \"file\": \"%s\", \"nodes\": %zu, \"libtorch_millis\": %.1f, "
                "\"describe_millis\": %.1f, \"import_millis\": %.1f, \"goal\": \"1000 ms after LibTorch\"}\n",
                std::filesystem::path(path).filename().c_str(), nodes, median(loading), median(describing),
                median(importing));
    std::fflush(stdout);
}

} // namespace

int main(int count, char** files) {
    std::vector<std::string> paths(files + 1, files + count);
    const auto folder = std::filesystem::temp_directory_path();
    if (paths.empty())
        for (const char* name : {"lancet-bench-resnet152.ts", "lancet-bench-bert24.ts"})
            if (std::filesystem::exists(folder / name)) paths.push_back((folder / name).string());
    if (paths.empty()) std::fputs("no files: run tests/bench/torchscript/make_models.py first\n", stderr);
    for (const std::string& path : paths) measure(path);
    return paths.empty() ? 1 : 0;
}

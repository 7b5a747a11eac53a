// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/ceiling.h"

#include "core/base/python_text.h"
#include "core/base/sha256.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/timing/verbose_capture.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/machine_load.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fx::engine {
namespace {

using Clock = std::chrono::steady_clock;

/// The shortest of the calls that fit into a quarter of a second, in seconds.
template<class Call> double shortest(const Call& call) {
    call();
    double best = 1e9;
    const auto start = Clock::now();
    do {
        const auto before = Clock::now();
        call();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
    } while (Clock::now() - start < std::chrono::milliseconds(250));
    return best;
}

timing::Ceiling measured() {
    const c10::InferenceMode inference;
    constexpr std::int64_t kSide = 512, kFloats = 8 << 20;
    timing::Ceiling out;
    out.threads = threads();
    const at::Tensor a = randomInput({kSide, kSide}, at::kFloat, 0), b = randomInput({kSide, kSide}, at::kFloat, 0);
    out.gflops = 2.0 * kSide * kSide * kSide / 1e9 / shortest([&] { callFunction("torch.matmul", Values{a, b}); });
    const at::Tensor from = randomInput({kFloats}, at::kFloat, 0), to = randomInput({kFloats}, at::kFloat, 0);
    out.gbytes = 2.0 * sizeof(float) * kFloats / 1e9 / shortest([&] { callMethod("copy_", Values{to, from}); });
    return out;
}

std::string fileFor(const std::string& folder) {
    const timing::Environment machine = environment();
    return folder + "/ceiling-" +
           sha256(machine.processor + "\n" + std::to_string(machine.threads) + "\n" + machine.library).substr(0, 16) +
           ".json";
}

timing::Ceiling readCeiling(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    timing::Ceiling out;
    try {
        const auto document = JsonDocument::parse(text.str());
        out.gflops = document->root().at("gflops").asDouble(),
        out.gbytes = document->root().at("gbytes_per_second").asDouble();
    } catch (const fx::Error&) { // none, or one that was cut short: measured anew
    }
    return out;
}

void writeCeiling(const timing::Ceiling& ceiling, const std::string& path) {
    std::string gflops, gbytes;
    appendPythonFloat(gflops, ceiling.gflops), appendPythonFloat(gbytes, ceiling.gbytes);
    JsonWriter json;
    json.beginObject()
        .key("gflops")
        .raw(gflops)
        .key("gbytes_per_second")
        .raw(gbytes)
        .key("threads")
        .integer(ceiling.threads)
        .endObject();
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    const std::string beside = path + "." + std::to_string(::getpid());
    std::ofstream(beside) << json.text() << '\n';
    std::filesystem::rename(beside, path, failed); // a cache that cannot be written costs half a second the next time
}

} // namespace

timing::Ceiling measureCeiling(const std::string& folder) {
    timing::Ceiling now = measured();
    if (folder.empty()) return now;
    const std::string path = fileFor(folder);
    const timing::Ceiling known = readCeiling(path);
    now.cached = known.gflops > now.gflops || known.gbytes > now.gbytes;
    const bool higher = now.gflops > known.gflops || now.gbytes > known.gbytes;
    now.gflops = std::max(now.gflops, known.gflops), now.gbytes = std::max(now.gbytes, known.gbytes);
    if (higher) writeCeiling(now, path);
    return now;
}

timing::Environment environment() {
    timing::Environment out = timing::machineEnvironment();
    out.threads = threads();
    out.isa = at::get_cpu_capability();
    const timing::VerboseLog& oneDnn = oneDnnDescription();
    out.oneDnn = oneDnn.version, out.oneDnnIsa = oneDnn.isa;
    out.blas = at::globalContext().hasMKL() ? at::get_mkl_version() : "built in";
    out.library = "LibTorch " TORCH_VERSION;
    volatile float tiny = 1e-39F; // multiplied when it runs
    out.denormalsFlushed = tiny * 1.0F == 0.0F;
    return out;
}

} // namespace fx::engine

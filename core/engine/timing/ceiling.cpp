// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/ceiling.h"

#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/timing/verbose_capture.h"
#include "core/timing/machine_load.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>

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

} // namespace

timing::Ceiling measureCeiling() {
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

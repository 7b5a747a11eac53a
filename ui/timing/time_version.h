// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/timing/timing_result.h"
#include "ui/run/worker_service.h"

namespace ui {

/// The duration and number of threads for timing a model.
struct TimingSettings {
    int threads = 0;    ///< 0: LibTorch's default
    double seconds = 5; ///< for both models together; timing nodes takes half as long in addition
};

/// Times a version against the original on the same inputs in the worker; only the original if they are the same.
/// `nodes` also times its nodes. Reads inputs from files. The time limit of requests does not apply. Throws fx::Error.
fx::timing::BenchResult timeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const TimingSettings& settings, bool nodes);

} // namespace ui

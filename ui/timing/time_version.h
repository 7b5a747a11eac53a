// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/timing/timing_result.h"
#include "ui/run/worker_service.h"

namespace ui {

/// How long and with how many threads a model is timed.
struct TimingSettings {
    int threads = 0;    ///< 0: as many as LibTorch takes by itself
    double seconds = 5; ///< for both models together; where the time goes in nodes takes half as long again
};

/// Times a version against the original on the same inputs in the worker; when they are one, it alone. `nodes`: also
/// its nodes. Inputs from files are read here. The limit of seconds for a request is not for timings. Throws fx::Error.
fx::timing::BenchResult timeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const TimingSettings& settings, bool nodes);

} // namespace ui

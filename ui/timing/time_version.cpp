// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/time_version.h"

#include "core/remote/bench_message.h"
#include "ui/run/run_request.h"

namespace ui {

fx::timing::BenchResult timeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const TimingSettings& settings, bool nodes) {
    fx::remote::BenchRequest request;
    request.run = requestToRun(original, inputs, call.progress);
    request.run.threads = settings.threads;
    request.names = {"original"};
    if (version != original) {
        request.others.emplace_back(version).mode = inputs.mode;
        request.names.emplace_back("modified");
    }
    request.seconds = settings.seconds;
    request.nodes = nodes;
    return fx::remote::bench(call.client, request, {}, call.progress);
}

} // namespace ui

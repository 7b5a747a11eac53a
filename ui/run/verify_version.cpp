// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/verify_version.h"

#include "core/remote/verify_message.h"
#include "ui/run/run_request.h"

namespace ui {

namespace {
fx::remote::VerifyRequest requestToVerify(const WorkerCall& call,
                                          const std::shared_ptr<const fx::GraphModule>& original,
                                          const std::shared_ptr<const fx::GraphModule>& version,
                                          const fx::InputDescription& inputs, const fx::Tolerances& tolerances) {
    fx::remote::VerifyRequest request;
    request.run = requestToRun(original, inputs, call.progress);
    request.other = version;
    request.other.mode = inputs.mode;
    request.tolerances = tolerances;
    return request;
}
} // namespace

fx::VerifyReport verifyVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances) {
    return fx::remote::verify(call.client, requestToVerify(call, original, version, inputs, tolerances), call.timeout,
                              call.progress);
}

fx::VerifyReport searchVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances,
                               std::int64_t round) {
    constexpr std::chrono::seconds kSearch{30};
    fx::remote::VerifyRequest request = requestToVerify(call, original, version, inputs, tolerances);
    request.searchSeconds = static_cast<double>(kSearch.count()), request.searchRound = round;
    const auto limit = call.timeout.count() > 0 ? call.timeout + kSearch : call.timeout; // 0: none
    return fx::remote::verify(call.client, request, limit, call.progress);
}

std::vector<fx::Probe> probeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const fx::Tolerances& tolerances) {
    constexpr int kTrials = 6; // of which each may take as long as one request
    return fx::remote::probe(call.client, requestToVerify(call, original, version, inputs, tolerances),
                             call.timeout * kTrials, call.progress);
}

} // namespace ui

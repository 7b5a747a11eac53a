// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/verify_version.h"

#include "core/remote/verify_message.h"
#include "ui/run/run_request.h"

namespace ui {

fx::VerifyReport verifyVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances) {
    fx::remote::VerifyRequest request;
    request.run = requestToRun(original, inputs, call.progress);
    request.other = version;
    request.tolerances = tolerances;
    return fx::remote::verify(call.client, request, call.timeout, call.progress);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/version_shapes.h"

#include "core/remote/shapes_message.h"
#include "ui/run/run_request.h"

namespace ui {

fx::NodeShapes shapesOfVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, ShapeRuns runs) {
    fx::remote::ShapesRequest request;
    request.run = requestToRun(version, inputs, call.progress);
    request.mayRun = runs == ShapeRuns::Model;
    request.byItself = runs == ShapeRuns::Nothing;
    const fx::remote::Frame frame = fx::remote::toFrame(request, call.client.nextNumber(), call.client.local());
    return fx::remote::shapesResult(call.client.call(frame, call.timeout, call.progress));
}

} // namespace ui

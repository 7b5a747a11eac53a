// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/shapes_message.h"

#include "core/remote/message_fields.h"

namespace fx::remote {
template<class Archive> void fields(Archive& field, ValueInfo& info) {
    field("dtype", info.dtype)("sizes", info.sizes)("strides", info.strides)("grad", info.requiresGrad);
    field("tensor", info.isTensor);
    field.always(info.device, "cpu");
}
template<class Archive> void fields(Archive& field, ShapeOperand& operand) {
    field("name", operand.name)("origin", operand.origin)("info", operand.info);
}
template<class Archive> void fields(Archive& field, ShapeFailure& failure) {
    field("node", failure.node).message("what", failure.what)("hint", failure.hint);
    field("needs_values", failure.needsValues)("cause", failure.cause)("operands", failure.operands);
}
template<class Archive> void fields(Archive& field, std::pair<std::string, std::vector<ValueInfo>>& node) {
    field("name", node.first)("values", node.second);
}
template<class Archive> void fields(Archive& field, NodeShapes& shapes) {
    field("ran", shapes.ran)("guessed", shapes.guessed)
        .micros("micros", shapes.millis)("nodes", shapes.nodes)("failures", shapes.failures);
}
template<class Archive> void fields(Archive& field, ShapesRequest& request) {
    field("gradients", request.gradients)("may_run", request.mayRun)("by_itself", request.byItself);
    field("as_recorded", request.asRecorded);
}

Frame toFrame(const ShapesRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "shapes",
                   [&request](JsonWriter& json, Frame&) { writeFields(json, request); });
}

ShapesRequest shapesRequest(const Frame& frame) { return withFields(ShapesRequest{runRequest(frame)}, frame); }

Frame toFrame(const NodeShapes& shapes, std::uint32_t number) { return resultFrame(shapes, number); }

NodeShapes shapesResult(const Frame& frame) { return resultOf<NodeShapes>(frame); }

NodeShapes partShapes(WorkerClient& worker, const GraphModule& part, bool gradients, std::chrono::milliseconds limit,
                      const Progress& progress) {
    worker.start(progress);
    ShapesRequest request;
    request.run.model = std::make_shared<const GraphModule>(part);
    request.gradients = gradients, request.mayRun = false, request.asRecorded = true, request.byItself = true;
    return shapesResult(worker.call(toFrame(request, worker.nextNumber(), worker.local()), limit, progress));
}

} // namespace fx::remote

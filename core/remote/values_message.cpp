// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/values_message.h"

#include "core/remote/difference_fields.h"
#include "core/remote/worker_client.h"

namespace fx::remote {
template<class Archive> void fields(Archive& field, ValueSlice& slice) {
    field("indices", slice.indices)("row", slice.row)("column", slice.column);
}
template<class Archive> void fields(Archive& field, TensorStatistics& values) {
    field("count", values.count)("finite", values.finite)("zeros", values.zeros)("nans", values.nans);
    field("infinities", values.infinities)("min", values.min)("max", values.max)("mean", values.mean);
    field("std", values.std)("magnitudes", values.magnitudes)("histogram", values.histogram);
}
template<class Archive> void fields(Archive& field, ValueView& view) {
    field("type", view.type)("text", view.text)("dtype", view.dtype)("sizes", view.sizes);
    field("statistics", view.statistics)("slice", view.slice);
    field("rows", view.rows)("columns", view.columns)("cells", view.cells);
    const auto side = [](std::int64_t size) { return size >= 0 && size <= kSliceSide; };
    field.require(side(view.rows) && side(view.columns) &&
                      view.cells.size() == static_cast<std::size_t>(view.rows * view.columns),
                  "remote.slice_size");
    field.require(view.slice.indices.size() + 2 <= std::max<std::size_t>(view.sizes.size(), 2), "remote.slice_size");
}
template<class Archive> void fields(Archive& field, NodeValues& values) {
    field("parts", values.parts)("part", values.part)("value", values.value)("original", values.original);
    field("difference", values.difference)("no_original", values.noOriginal)("inputs", values.inputs);
    field("millis", values.millis);
}
template<class Archive> void fields(Archive& field, ValuesRequest& request) {
    field("node", request.node)("part", request.part)("slice", request.slice);
}

Frame toFrame(const ValuesRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "values", [&request](JsonWriter& json, Frame& frame) {
        if (request.original) writeModel(json.key("original"), *request.original, frame);
        writeFields(json, request);
    });
}

ValuesRequest valuesRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    ValuesRequest out = withFields(ValuesRequest{runRequest(frame), {}, {}, 0, {}}, frame);
    if (const JsonValue original = document->root().find("original"); original.exists())
        out.original = readModel(original);
    return out;
}

Frame toFrame(const NodeValues& values, std::uint32_t number) { return resultFrame(values, number); }
NodeValues nodeValues(const Frame& frame) { return resultOf<NodeValues>(frame); }

NodeValues lookAt(WorkerClient& worker, const ValuesRequest& request, std::chrono::milliseconds timeout,
                  const Progress& progress) {
    return nodeValues(worker.call(toFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
}

} // namespace fx::remote

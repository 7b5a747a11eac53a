// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/values_message.h"

#include "core/remote/json_fields.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"

#include <algorithm>

namespace fx::remote {
namespace {

void writeSlice(JsonWriter& json, const ValueSlice& slice) {
    writeIntegers(json.key("slice").beginObject(), "indices", slice.indices);
    json.key("row").integer(slice.row).key("column").integer(slice.column).endObject();
}
ValueSlice readSlice(JsonValue object) {
    const JsonValue slice = object.at("slice");
    return {readIntegers(slice, "indices"), slice.at("row").asInt(), slice.at("column").asInt()};
}

void writeStatistics(JsonWriter& json, const TensorStatistics& values) {
    json.key("statistics").beginObject();
    for (const auto& [key, number] :
         {std::pair("count", values.count), std::pair("finite", values.finite), std::pair("zeros", values.zeros),
          std::pair("nans", values.nans), std::pair("infinities", values.infinities)})
        json.key(key).integer(number);
    for (const auto& [key, number] : {std::pair("min", values.min), std::pair("max", values.max),
                                      std::pair("mean", values.mean), std::pair("std", values.std)})
        writeReal(json, key, number);
    json.key("magnitudes").boolean(values.magnitudes);
    writeIntegers(json, "histogram", values.histogram);
    json.endObject();
}
TensorStatistics readStatistics(JsonValue object) {
    const JsonValue values = object.at("statistics");
    TensorStatistics out;
    out.count = values.at("count").asInt(), out.finite = values.at("finite").asInt(),
    out.zeros = values.at("zeros").asInt();
    out.nans = values.at("nans").asInt(), out.infinities = values.at("infinities").asInt();
    out.min = readReal(values, "min"), out.max = readReal(values, "max"), out.mean = readReal(values, "mean"),
    out.std = readReal(values, "std");
    out.magnitudes = values.at("magnitudes").asBool();
    const std::vector<std::int64_t> bins = readIntegers(values, "histogram");
    std::copy_n(bins.begin(), std::min(bins.size(), out.histogram.size()), out.histogram.begin());
    return out;
}

void writeView(JsonWriter& json, std::string_view key, const ValueView& view) {
    json.key(key).beginObject().key("type").string(view.type).key("text").string(view.text).key("dtype").string(
        view.dtype);
    writeIntegers(json, "sizes", view.sizes);
    writeStatistics(json, view.statistics);
    writeSlice(json, view.slice);
    json.key("rows").integer(view.rows).key("columns").integer(view.columns).key("cells").beginArray();
    for (const double cell : view.cells) writeReal(json, cell);
    json.endArray().endObject();
}
ValueView readView(JsonValue value) {
    ValueView out;
    out.type = readText(value, "type"), out.text = readText(value, "text"), out.dtype = readText(value, "dtype");
    out.sizes = readIntegers(value, "sizes"), out.statistics = readStatistics(value), out.slice = readSlice(value);
    out.rows = value.at("rows").asInt(), out.columns = value.at("columns").asInt();
    for (const JsonValue cell : value.at("cells").needArray()) out.cells.push_back(realOf(cell));
    const auto side = [](std::int64_t size) { return size >= 0 && size <= kSliceSide; };
    if (!side(out.rows) || !side(out.columns) || out.cells.size() != static_cast<std::size_t>(out.rows * out.columns))
        throw value.error(Message("remote.slice_size"));
    return out;
}

} // namespace

Frame toFrame(const ValuesRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "values", [&request](JsonWriter& json, Frame& frame) {
        if (request.original) writeModel(json.key("original"), *request.original, frame);
        json.key("node").string(request.node).key("part").integer(request.part);
        writeSlice(json, request.slice);
    });
}

ValuesRequest valuesRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    ValuesRequest out{runRequest(frame), {}, readText(root, "node"), root.at("part").asInt(), readSlice(root)};
    if (const JsonValue original = root.find("original"); original.exists()) out.original = readModel(original);
    return out;
}

Frame toFrame(const NodeValues& values, std::uint32_t number) {
    JsonWriter json;
    writeTexts(json.beginObject(), "parts", values.parts);
    json.key("part").integer(values.part);
    writeView(json, "value", values.value);
    if (values.original) writeView(json, "original", *values.original);
    if (values.difference) writeDifference(json.key("difference"), *values.difference);
    json.key("no_original").string(values.noOriginal);
    writeTexts(json, "inputs", values.inputs);
    writeReal(json, "millis", values.millis);
    return {FrameKind::Result, number, json.endObject().text(), {}, {}};
}

NodeValues nodeValues(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    NodeValues out;
    out.parts = readTexts(root, "parts"), out.part = root.at("part").asInt(), out.value = readView(root.at("value"));
    if (const JsonValue original = root.find("original"); original.exists()) out.original = readView(original);
    if (const JsonValue difference = root.find("difference"); difference.exists())
        out.difference = readDifference(difference);
    out.noOriginal = readText(root, "no_original"), out.inputs = readTexts(root, "inputs"),
    out.millis = readReal(root, "millis");
    return out;
}

NodeValues lookAt(WorkerClient& worker, const ValuesRequest& request, std::chrono::milliseconds timeout,
                  const Progress& progress) {
    return nodeValues(worker.call(toFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
}

} // namespace fx::remote

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verify_message.h"

#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"

#include <algorithm>
#include <cstdlib>

namespace fx::remote {
namespace {

void writeMessage(JsonWriter& json, const Message& message) {
    json.beginObject().key("text").string(message.text());
    writeMessageData(json, message);
    json.endObject();
}
Message messageOf(JsonValue value) { return readMessage(value, "text"); }

void writeTolerances(JsonWriter& json, const Tolerances& tolerances) {
    json.beginObject();
    if (tolerances.rtol) writeReal(json, "rtol", *tolerances.rtol);
    if (tolerances.atol) writeReal(json, "atol", *tolerances.atol);
    json.key("types").beginArray();
    for (const auto& [type, tolerance] : tolerances.types) {
        json.beginObject().key("dtype").string(type);
        writeReal(json, "rtol", tolerance.rtol);
        writeReal(json, "atol", tolerance.atol);
        json.endObject();
    }
    json.endArray().endObject();
}

void writeNodeErrors(JsonWriter& json, const std::vector<NodeError>& errors) {
    json.key("node_errors").beginArray();
    for (const NodeError& each : errors) {
        json.beginObject().key("node").string(each.node);
        writeReal(json, "max_abs", each.maxAbs);
        writeReal(json, "error", each.error);
        json.key("count").integer(each.count).key("beyond").integer(each.beyond);
        json.key("comparable").boolean(each.comparable);
        if (!each.comparable) writeMessage(json.key("reason"), each.reason);
        if (!each.nameInB.empty()) json.key("name_in_b").string(each.nameInB);
        json.endObject();
    }
    json.endArray();
}
std::vector<NodeError> readNodeErrors(JsonValue value) {
    std::vector<NodeError> out;
    for (const JsonValue each : value.needArray()) {
        out.push_back({readText(each, "node"), readReal(each, "max_abs"), readReal(each, "error"),
                       each.at("count").asInt(), each.at("beyond").asInt(), each.at("comparable").asBool()});
        if (const JsonValue reason = each.find("reason"); reason.exists()) out.back().reason = messageOf(reason);
        if (const JsonValue name = each.find("name_in_b"); name.exists())
            out.back().nameInB = std::string(name.asText());
    }
    return out;
}

void writeProbes(JsonWriter& json, const std::vector<Probe>& probes) {
    json.key("probes").beginArray();
    for (const Probe& probe : probes) {
        json.beginObject()
            .key("kind")
            .integer(static_cast<std::int64_t>(probe.kind))
            .key("what")
            .string(probe.what)
            .key("verdict")
            .integer(static_cast<std::int64_t>(probe.verdict))
            .key("seed")
            .string(std::to_string(probe.seed));
        writeMessage(json.key("reason"), probe.reason);
        writeReal(json, "max_abs", probe.maxAbs);
        writeReal(json, "max_rel", probe.maxRel);
        writeReal(json, "scale", probe.scale);
        json.endObject();
    }
    json.endArray();
}
std::vector<Probe> readProbes(JsonValue value) {
    std::vector<Probe> out;
    for (const JsonValue each : value.needArray())
        out.push_back({static_cast<Probe::Kind>(each.at("kind").asInt() % 3), readText(each, "what"),
                       static_cast<Verdict>(each.at("verdict").asInt() & 3), readReal(each, "max_abs"),
                       readReal(each, "max_rel"), std::strtoull(readText(each, "seed").c_str(), nullptr, 10),
                       readReal(each, "scale"), messageOf(each.at("reason"))});
    return out;
}

Tolerances readTolerances(JsonValue value) {
    Tolerances out;
    if (value.find("rtol").exists()) out.rtol = readReal(value, "rtol");
    if (value.find("atol").exists()) out.atol = readReal(value, "atol");
    for (const JsonValue type : value.at("types").needArray())
        out.types.push_back({readText(type, "dtype"), {readReal(type, "rtol"), readReal(type, "atol")}});
    return out;
}

} // namespace

void writeDifference(JsonWriter& json, const ValueDifference& value) {
    json.beginObject().key("dtype").string(value.dtype);
    writeIntegers(json, "sizes", value.sizes);
    for (const auto& [key, number] :
         {std::pair("max_abs", value.maxAbs), std::pair("max_rel", value.maxRel), std::pair("scale", value.scale),
          std::pair("rms", value.rms), std::pair("rms_error", value.rmsError), std::pair("rtol", value.tolerance.rtol),
          std::pair("atol", value.tolerance.atol)})
        writeReal(json, key, number);
    for (const auto& [key, number] :
         {std::pair("count", value.count), std::pair("beyond", value.beyond), std::pair("nans_a", value.nansA),
          std::pair("nans_b", value.nansB), std::pair("nans_both", value.nansBoth)})
        json.key(key).integer(number);
    writeIntegers(json, "worst", value.worst);
    json.key("equal").boolean(value.equal).key("close").boolean(value.close);
    json.key("same_shape").boolean(value.sameShape);
    writeMessage(json.key("reason"), value.reason);
    json.endObject();
}

ValueDifference readDifference(JsonValue value) {
    ValueDifference out;
    out.dtype = readText(value, "dtype"), out.sizes = readIntegers(value, "sizes");
    out.maxAbs = readReal(value, "max_abs"), out.maxRel = readReal(value, "max_rel");
    out.scale = readReal(value, "scale"), out.rms = readReal(value, "rms");
    out.rmsError = readReal(value, "rms_error");
    out.tolerance = {readReal(value, "rtol"), readReal(value, "atol")};
    out.count = value.at("count").asInt(), out.beyond = value.at("beyond").asInt();
    out.nansA = value.at("nans_a").asInt(), out.nansB = value.at("nans_b").asInt(),
    out.nansBoth = value.at("nans_both").asInt();
    out.worst = readIntegers(value, "worst");
    out.equal = value.at("equal").asBool(), out.close = value.at("close").asBool();
    out.sameShape = value.at("same_shape").asBool(), out.reason = messageOf(value.at("reason"));
    return out;
}

Frame toFrame(const VerifyRequest& request, std::uint32_t number, bool local, std::string_view verb) {
    return toFrame(request.run, number, local, verb, [&request](JsonWriter& json, Frame& frame) {
        writeModel(json.key("other"), request.other, frame);
        writeTolerances(json.key("tolerances"), request.tolerances);
    });
}

VerifyRequest verifyRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    return {runRequest(frame), readModel(document->root().at("other")),
            readTolerances(document->root().at("tolerances"))};
}

Frame toFrame(const VerifyReport& report, std::uint32_t number) {
    JsonWriter json;
    json.beginObject()
        .key("verdict")
        .integer(static_cast<std::int64_t>(report.verdict))
        .key("code")
        .integer(static_cast<std::int64_t>(report.code))
        .key("identical")
        .boolean(report.identical);
    writeMessage(json.key("reason"), report.reason);
    json.key("outputs").beginArray();
    for (const OutputDifference& output : report.outputs) {
        writeDifference(json.beginObject().key("path").string(output.path).key("value"), output.value);
        json.endObject();
    }
    json.endArray();
    if (report.first) {
        writeDifference(json.key("first").beginObject().key("node").string(report.first->node).key("value"),
                        report.first->value);
        json.key("passing").boolean(report.first->passing);
        writeMessage(json.key("why"), report.first->why);
        json.endObject();
    }
    json.key("nodes_compared").integer(report.nodesCompared).key("nodes_differing").integer(report.nodesDiffering);
    writeNodeErrors(json, report.nodeErrors);
    writeProbes(json, report.probes);
    json.key("remarks").beginArray();
    for (const Message& remark : report.remarks) writeMessage(json, remark);
    json.endArray();
    if (report.sqnr) writeReal(json, "sqnr", *report.sqnr);
    writeTexts(json, "inputs", report.inputs);
    writeTexts(json, "guessed", report.guessed);
    writeWarnings(json, report.warnings);
    writeReal(json, "millis_a", report.millisA);
    writeReal(json, "millis_b", report.millisB);
    return {FrameKind::Result, number, json.endObject().text(), {}, {}};
}

VerifyReport verifyReport(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    VerifyReport out;
    out.verdict = static_cast<Verdict>(root.at("verdict").asInt() & 3);
    out.code = static_cast<VerdictReason>(
        std::clamp<std::int64_t>(root.at("code").asInt(), 0, static_cast<std::int64_t>(kLastVerdictReason)));
    out.identical = root.at("identical").asBool();
    out.reason = messageOf(root.at("reason"));
    for (const JsonValue output : root.at("outputs").needArray())
        out.outputs.push_back({readText(output, "path"), readDifference(output.at("value"))});
    if (const JsonValue first = root.find("first"); first.exists())
        out.first = NodeDifference{readText(first, "node"), readDifference(first.at("value")),
                                   first.at("passing").asBool(), messageOf(first.at("why"))};
    out.nodesCompared = root.at("nodes_compared").asInt(), out.nodesDiffering = root.at("nodes_differing").asInt();
    out.nodeErrors = readNodeErrors(root.at("node_errors")), out.probes = readProbes(root.at("probes"));
    for (const JsonValue remark : root.at("remarks").needArray()) out.remarks.push_back(messageOf(remark));
    if (root.find("sqnr").exists()) out.sqnr = readReal(root, "sqnr");
    out.inputs = readTexts(root, "inputs"), out.guessed = readTexts(root, "guessed");
    out.warnings = readWarnings(root);
    out.millisA = readReal(root, "millis_a"), out.millisB = readReal(root, "millis_b");
    return out;
}

VerifyReport verify(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout,
                    const Progress& progress) {
    return verifyReport(worker.call(toFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
}

std::vector<Probe> probe(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout,
                         const Progress& progress) {
    return probesOf(worker.call(toFrame(request, worker.nextNumber(), worker.local(), "probe"), timeout, progress));
}

Frame toFrame(const std::vector<Probe>& probes, std::uint32_t number) {
    JsonWriter json;
    writeProbes(json.beginObject(), probes);
    return {FrameKind::Result, number, json.endObject().text(), {}, {}};
}

std::vector<Probe> probesOf(const Frame& frame) {
    return readProbes(JsonDocument::parse(frame.json)->root().at("probes"));
}

} // namespace fx::remote

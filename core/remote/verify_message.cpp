// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verify_message.h"

#include "core/remote/difference_fields.h"
#include "core/remote/worker_client.h"

namespace fx::remote {
template<class Archive> void fields(Archive& field, std::pair<std::string, Tolerance>& type) {
    field("dtype", type.first)("rtol", type.second.rtol)("atol", type.second.atol);
}
template<class Archive> void fields(Archive& field, Tolerances& tolerances) {
    field("rtol", tolerances.rtol)("atol", tolerances.atol)("types", tolerances.types);
}
template<class Archive> void fields(Archive& field, NodeError& error) {
    field("node", error.node)("max_abs", error.maxAbs)("error", error.error)("count", error.count);
    field("beyond", error.beyond)("comparable", error.comparable);
    field.ifAny("reason", error.reason).ifAny("name_in_b", error.nameInB);
}
template<class Archive> void fields(Archive& field, Probe& probe) {
    field.choice("kind", probe.kind, Probe::Kind::RescaledWeights)("what", probe.what);
    field.choice("verdict", probe.verdict, Verdict::Different).number("seed", probe.seed)("reason", probe.reason);
    field("max_abs", probe.maxAbs)("max_rel", probe.maxRel)("scale", probe.scale);
    field("counterexample", probe.counterexample);
}
template<class Archive> void fields(Archive& field, OutputDifference& output) {
    field("path", output.path)("value", output.value);
}
template<class Archive> void fields(Archive& field, NodeDifference& first) {
    field("node", first.node)("value", first.value)("passing", first.passing)("inner", first.inner)("why", first.why);
}
template<class Archive> void fields(Archive& field, VerifyReport& report) {
    field.choice("verdict", report.verdict, Verdict::Different).choice("code", report.code, kLastVerdictReason);
    field("identical", report.identical)("reason", report.reason)("outputs", report.outputs)("first", report.first);
    field("nodes_compared", report.nodesCompared)("nodes_differing", report.nodesDiffering);
    field("node_errors", report.nodeErrors)("probes", report.probes)("remarks", report.remarks)("sqnr", report.sqnr);
    field("further_inputs", report.furtherInputs)("further_seconds", report.furtherSeconds);
    field("inputs", report.inputs)("guessed", report.guessed)("warnings", report.warnings)("modes", report.modes);
    field("millis_a", report.millisA)("millis_b", report.millisB)("counterexample", report.counterexample);
}
/// What `probe` gives.
struct Probes {
    std::vector<Probe> probes;
};
template<class Archive> void fields(Archive& field, Probes& result) { field("probes", result.probes); }
template<class Archive> void fields(Archive& field, VerifyRequest& request) {
    field("tolerances", request.tolerances)("search_seconds", request.searchSeconds);
    field("search_round", request.searchRound);
}

Frame toFrame(const VerifyRequest& request, std::uint32_t number, bool local, std::string_view verb) {
    return toFrame(request.run, number, local, verb, [&request](JsonWriter& json, Frame& frame) {
        writeModel(json.key("other"), request.other, frame);
        writeFields(json, request);
    });
}

VerifyRequest verifyRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    return withFields(VerifyRequest{runRequest(frame), readModel(document->root().at("other")), {}}, document->root());
}

Frame toFrame(const VerifyReport& report, std::uint32_t number) { return resultFrame<Tensors::Some>(report, number); }
VerifyReport verifyReport(const Frame& frame) { return resultOf<VerifyReport, Tensors::Some>(frame); }

VerifyReport verify(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout,
                    const Progress& progress) {
    return verifyReport(worker.call(toFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
}

std::vector<Probe> probe(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout,
                         const Progress& progress) {
    return probesOf(worker.call(toFrame(request, worker.nextNumber(), worker.local(), "probe"), timeout, progress));
}

Frame toFrame(const std::vector<Probe>& probes, std::uint32_t number) {
    return resultFrame<Tensors::Some>(Probes{probes}, number);
}
std::vector<Probe> probesOf(const Frame& frame) { return resultOf<Probes, Tensors::Some>(frame).probes; }

} // namespace fx::remote

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results/verify_text.h"

#include "app/cli/output.h"
#include "app/cli/session.h"
#include "core/base/counted.h"
#include "core/base/python_text.h"
#include "core/base/visible_text.h"
#include "core/json/message_json.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace app {
namespace {

std::string number(double value) {
    std::string text;
    fx::appendPythonFloat(text, value);
    return text;
}

void writeReal(fx::JsonWriter& json, std::string_view key, double value) {
    if (std::isfinite(value)) json.key(key).raw(number(value));
    else json.key(key).null();
}

void writeText(fx::JsonWriter& json, std::string_view key, const std::string& text) {
    json.key(key);
    if (text.empty()) json.null();
    else json.string(text);
}

void writeDifference(fx::JsonWriter& json, const fx::ValueDifference& value) {
    const bool compared = value.comparable();
    writeReal(json, "max_abs", compared ? value.maxAbs : NAN);
    writeReal(json, "max_rel", compared ? value.maxRel : NAN);
    writeReal(json, "rtol", value.tolerance.rtol);
    writeReal(json, "atol", value.tolerance.atol);
    json.key("allclose")
        .boolean(value.close)
        .key("equal")
        .boolean(value.equal)
        .key("shape")
        .integers(value.sizes)
        .key("dtype")
        .string(value.dtype)
        .key("elements")
        .integer(value.count)
        .key("beyond")
        .integer(value.beyond);
    json.key("nans").beginArray().integer(value.nansA).integer(value.nansB).endArray();
    json.key("worst").integers(value.worst);
    writeReal(json, "scale", value.scale);
    writeText(json, "reason", value.reason.text());
}

void writeProbes(fx::JsonWriter& json, const std::vector<fx::Probe>& probes) {
    json.key("probes").beginArray();
    for (const fx::Probe& probe : probes) {
        json.beginObject().key("what").string(probe.what).key("verdict").string(fx::verdictName(probe.verdict));
        writeReal(json, "max_abs", probe.maxAbs);
        writeReal(json, "max_rel", probe.maxRel);
        writeText(json, "reason", probe.reason.text());
        json.endObject();
    }
    json.endArray();
}

std::string probeText(const fx::Probe& probe) {
    std::string text = "tried       " + probe.what + ": " + fx::verdictName(probe.verdict);
    if (!probe.reason.text().empty()) return text + ", " + fx::visibleLine(probe.reason.text()) + "\n";
    return text + ", max abs " + number(probe.maxAbs) + ", max rel " + number(probe.maxRel) + "\n";
}

/// ", quantised: SQNR 34.1 dB"
std::string quantisationText(const fx::VerifyReport& report) {
    if (!report.isQuantisationNoise()) return {};
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), ", quantised: SQNR %.1f dB", *report.sqnr);
    return text.data();
}

} // namespace

std::string differenceText(const fx::ValueDifference& value) {
    if (!value.comparable()) return fx::visibleLine(value.reason.text());
    if (value.equal) return "equal";
    std::string text = "max abs " + number(value.maxAbs) + ", max rel " + number(value.maxRel);
    if (value.beyond > 0) text += ", " + grouped(value.beyond) + " of " + grouped(value.count) + " beyond tolerance";
    text += " (rtol " + number(value.tolerance.rtol) + ", atol " + number(value.tolerance.atol) + ")";
    return text;
}

std::string verifyJson(const fx::VerifyReport& report, const fx::Warnings& warnings) {
    constexpr auto kLines = fx::JsonWriter::Layout::Lines;
    fx::JsonWriter json;
    json.beginObject(kLines)
        .key("equal")
        .boolean(report.agrees())
        .key("verdict")
        .string(fx::verdictName(report.verdict))
        .key("outputs")
        .beginArray(kLines);
    std::int64_t index = 0;
    for (const fx::OutputDifference& output : report.outputs) {
        json.beginObject().key("index").integer(index++).key("path").string(output.path);
        writeDifference(json, output.value);
        json.endObject();
    }
    json.endArray().key("first_difference");
    if (report.first) {
        json.beginObject().key("node").string(report.first->node);
        writeText(json, "inner_node", report.first->inner);
        writeDifference(json, report.first->value);
        json.key("passing").boolean(report.first->passing);
        writeText(json, "why", report.first->why.text());
        json.endObject();
    } else {
        json.null();
    }
    writeText(json, "reason", report.reason.text());
    json.key("reason_data").beginObject();
    fx::writeMessageData(json, report.reason);
    json.endObject().key("code").string(fx::reasonName(report.code)).key("identical").boolean(report.identical);
    writeProbes(json, report.probes);
    if (report.sqnr) writeReal(json, "sqnr_db", *report.sqnr);
    json.key("further_inputs").integer(report.furtherInputs);
    writeReal(json, "further_seconds", report.furtherSeconds);
    json.key("nodes_compared").integer(report.nodesCompared).key("nodes_differing").integer(report.nodesDiffering);
    json.key("remarks").beginArray();
    for (const fx::Message& remark : report.remarks) json.string(remark.text());
    json.endArray().key("remarks_data").beginArray();
    for (const fx::Message& remark : report.remarks) {
        fx::writeMessageData(json.beginObject(), remark);
        json.endObject();
    }
    json.endArray();
    if (!report.modes.empty()) json.key("mode").string(report.modes.front()).key("modes").strings(report.modes);
    json.key("inputs").strings(report.inputs);
    json.key("guessed").strings(report.guessed);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

std::string verifyText(const fx::VerifyReport& report) {
    std::string text = std::string(fx::verdictName(report.verdict)) + quantisationText(report) +
                       (report.identical               ? ": graph and weights are the same"
                        : report.reason.text().empty() ? ""
                                                       : ": " + fx::visibleLine(report.reason.text())) +
                       "\n";
    std::size_t index = 0;
    for (const fx::OutputDifference& output : report.outputs)
        text += "output " + std::to_string(index++) + (output.path.empty() ? "" : " " + fx::visibleName(output.path)) +
                "    " + differenceText(output.value) + "\n";
    for (const fx::Probe& probe : report.probes) text += probeText(probe);
    if (report.first) {
        const std::string& inner = report.first->inner;
        text += "first difference    " + fx::visibleName(report.first->node) +
                (inner.empty() ? "" : " (" + fx::visibleName(inner) + ")") + ": " +
                differenceText(report.first->value) + (report.first->passing ? "; what uses it agrees again" : "") +
                "\n";
        if (!report.first->why.text().empty()) text += "    " + fx::visibleLine(report.first->why.text()) + "\n";
    }
    for (const fx::Message& remark : report.remarks) text += "note        " + fx::visibleLine(remark.text()) + "\n";
    if (report.identical) return text.substr(0, text.size() - 1);
    if (report.furtherInputs > 0) {
        std::array<char, 32> seconds{};
        std::snprintf(seconds.data(), seconds.size(), "%.1f s", report.furtherSeconds);
        text += "searched    " + grouped(report.furtherInputs);
        text += fx::formOf(static_cast<std::size_t>(report.furtherInputs), " further input, ", " further inputs, ");
        text += std::string(seconds.data()) + "\n";
    }
    text += grouped(report.nodesCompared);
    text += fx::formOf(static_cast<std::size_t>(report.nodesCompared), " node compared, ", " nodes compared, ");
    return text + grouped(report.nodesDiffering) + " beyond tolerance";
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_scan.h"

#include "app/cli/file_options.h"
#include "core/base/counted.h"
#include "core/base/sha256.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/ir/print.h"
#include "core/journal/model_identity.h"
#include "core/quant/measure/scan_pace.h"
#include "core/quant/qconfig_json.h"
#include "core/remote/quant_report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace app {
namespace {

using fx::quant::LayerSensitivity;
using fx::quant::SensitivityScan;

/// A file by its content, anything else (JSON, the name of a QConfig) as it is written.
void add(fx::Sha256& hash, const std::string& given) {
    std::error_code ignored;
    hash.add("\n" + (std::filesystem::is_regular_file(given, ignored) ? fx::fileDigest(given) : given));
}

/// What a scan is of apart from its layers; another model, other data and other settings give other numbers.
std::string subjectOf(const Session& session, const QuantizeRequest& request, const fx::GraphModule& model) {
    fx::Sha256 hash;
    hash.add(fx::graphText(model.graph));
    std::error_code ignored;
    if (const std::string path = fileOf(request.save.model); std::filesystem::exists(path, ignored))
        for (const auto& file : fx::ModelIdentity::of(path).files) hash.add("\n" + file.digest);
    for (const std::string& file : session.options().source.weights) add(hash, file);
    for (const std::string& given :
         {request.qconfig, request.backendConfig, request.mode, request.backend, request.inputs.inputsFile})
        add(hash, given);
    for (const std::string& input : request.inputs.inputs) add(hash, input);
    add(hash, std::to_string(session.options().seed));
    return hash.hex();
}

SensitivityScan keptScan(const std::string& file, const std::string& subject) {
    std::error_code ignored;
    if (file.empty() || !std::filesystem::exists(file, ignored)) return {};
    try {
        const auto document = fx::JsonDocument::parse(fx::readTextFile(file));
        const fx::JsonValue root = document->root();
        SensitivityScan scan = fx::quant::scanFromJson(root);
        for (const fx::JsonValue value : root) // a report has a scan, too, and more that would be lost
            if (value.key() != "sensitivity" && value.key() != "of")
                throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.not_a_scan", {{"key", value.key()}}));
        if (const fx::JsonValue of = root.find("of"); of.exists() && of.asText() != subject)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.scan_of_other"));
        return scan;
    } catch (fx::Error& error) {
        error.in(file);
        throw;
    }
}

void keep(const std::string& path, const SensitivityScan& scan, const std::string& subject) {
    fx::ReplacedFile file(path);
    file.write(fx::quant::toJson(scan, subject) + "\n");
    file.commit();
}

std::string decibels(double sqnr) {
    if (std::isinf(sqnr)) return sqnr > 0 ? "no change" : "lost";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f dB", sqnr);
    return text.data();
}

/// What becomes of the layers that were measured before a scan ended.
void tellKept(fx::Error& error, const std::string& file, std::size_t done) {
    const fx::Message kept = file.empty() ? fx::Message("quant.scan_lost")
                                          : fx::Message("quant.scan_kept", {{"count", done}, {"file", file}});
    error.hint = kept.text();
    error.commandLineHint = kept.text() + "; " + kept.commandLineHint();
}

} // namespace

fx::remote::LayerScan scanLayers(const Session& session, const QuantizeRequest& request, std::size_t layers,
                                 const fx::remote::Quantisation& of, fx::remote::QuantWorker& worker) {
    fx::remote::ScanOptions options;
    const std::string subject = request.resume.empty() ? std::string() : subjectOf(session, request, *of.model);
    options.known = keptScan(request.resume, subject);
    options.leastSqnr = request.errorBudget;
    std::size_t done = options.known.done.size();
    options.measured = [&](const SensitivityScan& scan) {
        done = scan.done.size();
        if (!request.resume.empty()) keep(request.resume, scan, subject);
    };
    const fx::quant::ScanPace pace(layers, done);
    const auto paced = [&](std::string_view what, double part) {
        return Session::Report(pace.text(done, what), pace.share(done, part));
    };
    try {
        return fx::remote::scanLayers(of, options, worker, session.progress(paced));
    } catch (fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Refused && !options.known.done.empty()) error.in(request.resume);
        if (error.kind() == fx::ErrorKind::Cancelled && done > 0) tellKept(error, request.resume, done);
        throw;
    }
}

fx::Warnings scanWarnings(const fx::remote::LayerScan& scan, const QuantizeRequest& request) {
    fx::Warnings warnings;
    if (request.report.empty()) warnings = fx::remote::lostOutput(scan.sqnr); // else the layers are compared, too
    for (const fx::Warning& each : fx::remote::skippedCombinations(scan)) warnings.push_back(each);
    const std::string best = decibels(scan.bestSqnr), budget = decibels(*request.errorBudget);
    for (const fx::Warning& each : fx::remote::nothingWithin(scan, best, budget)) warnings.push_back(each);
    return warnings;
}

void writeScan(fx::JsonWriter& json, const fx::remote::LayerScan& scan) {
    json.key("sensitivity").beginArray(fx::JsonWriter::Layout::Lines);
    for (const LayerSensitivity& each : scan.sensitivity.done) {
        json.beginObject().key("layer").string(each.layer);
        fx::remote::writeFinite(json, "noise", each.noise);
        fx::remote::writeFinite(json, "sqnr_db", each.sqnr());
        json.endObject();
    }
    json.endArray();
    if (!scan.proposal) return;
    json.key("proposal").beginObject(fx::JsonWriter::Layout::Lines);
    json.key("quantised").strings(scan.proposal->quantised).key("kept").strings(scan.proposal->kept);
    json.key("operators_kept").strings(scan.operators);
    fx::remote::writeFinite(json, "sqnr_db", scan.sqnr);
    json.key("meets_budget").boolean(scan.proposal->meetsBudget);
    json.key("qconfig").raw("{\"base\": \"none\", " + fx::quant::toJson(scan.mapping).substr(1)).endObject();
}

std::string scanText(const fx::remote::LayerScan& scan, const fx::Graph& graph, const std::optional<double>& budget) {
    const auto nameOf = [&](const std::string& layer) {
        const fx::NodeId id = graph.find(layer);
        return id != fx::kNoNode && graph.node(id).op() == fx::Op::CallModule ? graph.node(id).target() : layer;
    };
    std::vector<const LayerSensitivity*> order;
    std::size_t width = 0;
    for (const LayerSensitivity& each : scan.sensitivity.done)
        order.push_back(&each), width = std::max(width, nameOf(each.layer).size());
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->noise > b->noise; });
    std::string text;
    for (const LayerSensitivity* each : order) {
        const std::string name = nameOf(each->layer);
        text += name + std::string(width - name.size() + 2, ' ') + decibels(each->sqnr()) + "\n";
    }
    if (!scan.proposal) return text;
    text += "quantise " + std::to_string(scan.proposal->quantised.size()) + " of " + std::to_string(order.size()) +
            std::string(fx::formOf(order.size(), " layer: ", " layers: ")) + decibels(scan.sqnr);
    if (!scan.proposal->meetsBudget && budget) text += ", below the error budget of " + decibels(*budget);
    for (const std::string& layer : scan.proposal->kept) text += "\nkeep " + nameOf(layer) + " in floating point";
    if (!scan.operators.empty() && !scan.proposal->quantised.empty())
        text += "\nkeep the operators between the layers in floating point";
    return text + "\n";
}

} // namespace app

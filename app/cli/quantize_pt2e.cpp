// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_pt2e.h"

#include "app/cli/worker_quant_engine.h"
#include "core/base/counted.h"
#include "core/files/read_text.h"
#include "core/inputs/batches.h"
#include "core/model_files/foresee.h"
#include "core/model_files/lift_module.h"
#include "core/quant/pt2e/convert_pt2e.h"
#include "core/quant/pt2e/exported_module.h"
#include "core/quant/pt2e/x86_json.h"
#include "core/quant/qconfig_json.h"
#include "core/quant/quantise.h"
#include "core/remote/quant_report.h"

namespace app {
namespace {

using namespace fx::quant;

void checkRequest(const QuantizeRequest& request) {
    const auto refuse = [](fx::Message what) { throw fx::Error(fx::ErrorKind::Refused, std::move(what)); };
    if (request.backend != "x86") refuse(fx::Message("pt2e.backend", {{"backend", request.backend}}));
    if (request.mode == "weight-only") refuse(fx::Message("pt2e.mode", {{"mode", request.mode}}));
    if (request.scans()) refuse(fx::Message("quant.scan_form", {{"form", "exported programs"}}));
    if (request.reference) refuse(fx::Message("pt2e.reference"));
    const std::string& output = request.save.output;
    const bool isPython = output.ends_with(".pt") || output.ends_with("/");
    if (isPython && !request.prepared) refuse(fx::Message("pt2e.output"));
    if (request.prepared && (output.ends_with(".pt2") || output.ends_with(".ts")))
        refuse(fx::Message("pt2e.prepared_output"));
}

pt2e::X86Quantizer quantizerFor(const QuantizeRequest& request) {
    const bool isQat = request.mode == "qat", isDynamic = request.mode == "dynamic";
    if (request.qconfig.empty()) {
        pt2e::X86Quantizer quantizer;
        quantizer.setGlobal(pt2e::defaultX86Config(isQat, isDynamic));
        return quantizer;
    }
    const auto document =
        fx::JsonDocument::parse(isJsonText(request.qconfig) ? request.qconfig : fx::readTextFile(request.qconfig));
    requireKeysOnce(document->root());
    return pt2e::x86QuantizerFromJson(document->root(), isQat, isDynamic);
}

struct Pt2eResult {
    pt2e::PreparedPt2e prepared;
    fx::GraphModule model;
    fx::remote::Calibration calibration;
    std::optional<fx::remote::LayerErrors> errors; ///< of the layers, against the program in floating point
    fx::Warnings warnings;
    bool written = false, verified = false;
};

/// Runs the batches through the observers. Without any, draws inputs and warns about it.
void calibrate(Session& session, const QuantizeRequest& request, std::span<const fx::Batch> batches,
               WorkerQuantEngine& engine, Pt2eResult& result) {
    if (batches.empty()) result.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    engine.engine().setDetails(!request.report.empty());
    engine.calibrate(result.prepared.model, batches, session.progress());
    result.calibration = engine.engine().calibration();
    for (const fx::Warning& each : calibrationWarnings(*result.prepared.model.root, activationPlaces(result.prepared)))
        result.warnings.push_back(each);
    tellGuesses(session, result.calibration.guessed);
}

/// With the program in floating point: all layers on all batches for --report, else the output on the first batch, so
/// that a file whose results are lost is not written silently.
void compare(Session& session, const QuantizeRequest& request, const fx::GraphModule& original,
             std::span<const fx::Batch> batches, WorkerQuantEngine& engine, Pt2eResult& result) {
    const auto add = [&](const fx::Warnings& more) {
        result.warnings.insert(result.warnings.end(), more.begin(), more.end());
    };
    const auto shared = std::make_shared<const fx::GraphModule>(original);
    if (request.report.empty())
        return add(engine.compareOutput(shared, result.model, batches.first<1>(), session.progress()));
    result.errors = engine.engine().layerErrors(shared, std::make_shared<const fx::GraphModule>(result.model), batches,
                                                session.progress());
    add(fx::remote::lostOutput(result.errors->output.sqnr()));
}

/// Names and graph do not depend on values: without an output nothing is computed.
void compute(Session& session, const QuantizeRequest& request, const fx::GraphModule& original, Pt2eResult& result) {
    if (request.save.output.empty() && request.report.empty()) {
        result.model = request.prepared ? result.prepared.model : pt2e::convertPt2e(result.prepared, {}, nullptr);
        return;
    }
    WorkerQuantEngine engine(session, request.inputs);
    const bool hasInputs = request.inputs.isGiven();
    std::vector<fx::Batch> batches;
    if (!request.inputs.inputsFile.empty()) batches = fx::readBatches(request.inputs.inputsFile, session.progress());
    const bool observes =
        request.mode != "dynamic" || needsData(*result.prepared.model.root, activationPlaces(result.prepared));
    if (!result.prepared.placements.empty() && observes && (!request.prepared || hasInputs))
        calibrate(session, request, batches, engine, result);
    result.model = request.prepared ? result.prepared.model : pt2e::convertPt2e(result.prepared, {}, &engine);
    if (request.mode == "qat" && !request.prepared)
        result.warnings.push_back({fx::Message("quant.untrained"), {}, {}, {}});
    if (hasInputs && !observes && (request.report.empty() || request.prepared))
        result.warnings.push_back({fx::Message("quant.unused_inputs"), {}, {}, {}});
    const bool isChecked = observes && !batches.empty() && !request.save.noVerify;
    if (!request.prepared && (isChecked || !request.report.empty()))
        compare(session, request, original, batches, engine, result);
}

void writePlacement(fx::JsonWriter& json, const pt2e::Placement& placement) {
    json.beginObject().key("name").string(placement.observer).key("observed").string(placement.observed);
    json.key("for").string(placement.cause).key("role").string(placement.isOutput ? "output" : "input");
    json.key("pattern").string(placement.pattern).key("rule").string(placement.rule);
    json.key("type").string(placement.spec ? placement.spec->observer.type : "");
    json.key("dtype").string(placement.spec ? placement.spec->dtype : "").key("shared_with");
    if (placement.sharedWith.empty()) json.null();
    else json.string(placement.sharedWith);
    json.endObject();
}

void save(Session& session, const QuantizeRequest& request, const fx::GraphModule& program, Pt2eResult& result) {
    if (request.save.output.empty()) return;
    const bool isExport = request.save.output.ends_with(".pt2");
    result.verified = saveModel(session, isExport ? fx::liftedAs(result.model, program) : result.model, request.save);
    result.written = true;
    if (isExport) result.warnings.push_back({fx::Message("pt2e.needs_library"), {}, {}, {}});
    const fx::SavedAs form = fx::savedAs(request.save.output);
    if (request.mode == "qat" && (form == fx::SavedAs::GraphModule || form == fx::SavedAs::Folder))
        result.warnings.push_back({fx::Message("pt2e.not_trained_from_file"), {}, {}, {}});
}

} // namespace

int quantizePt2e(Session& session, const QuantizeRequest& request, const fx::GraphModule& program) {
    checkRequest(request);
    Pt2eResult result;
    const fx::GraphModule original = pt2e::exportedModule(program);
    result.prepared = pt2e::preparePt2e(original, readRules(request, [&] { return quantizerFor(request); }));
    result.warnings = result.prepared.warnings;
    if (result.prepared.placements.empty())
        for (const fx::Warning& each : nothingQuantised(*modeFromName(request.mode))) result.warnings.push_back(each);
    compute(session, request, original, result);
    save(session, request, program, result);
    const std::size_t left = pt2e::inFloatingPoint(result.prepared).size(), batches = result.calibration.batches;
    std::string summary = fx::counted(result.prepared.placements.size(), "observer", "observers") + "; " +
                          fx::counted(left, "node stays", "nodes stay") + " in floating point";
    if (batches > 0) summary += "; " + fx::counted(batches, "batch", "batches");
    const QuantizeAnswer answer{result.model, result.warnings, summary, result.written, result.verified};
    return answerQuantize(session, request, answer, [&](fx::JsonWriter& json) {
        json.key("observers").beginArray(fx::JsonWriter::Layout::Lines);
        for (const pt2e::Placement& placement : result.prepared.placements) writePlacement(json, placement);
        json.endArray();
        fx::remote::writeCalibration(json, result.calibration);
        if (result.errors) fx::remote::writeLayerErrors(json, *result.errors, leastSqnr(request));
    });
}

} // namespace app

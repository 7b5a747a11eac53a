// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_pt2e.h"

#include "app/cli/show.h"
#include "app/cli/verb.h"
#include "app/cli/worker_engine.h"
#include "app/cli/worker_quant_engine.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/inputs/batches.h"
#include "core/model_files/lift_module.h"
#include "core/quant/pt2e/convert_pt2e.h"
#include "core/quant/pt2e/exported_module.h"
#include "core/quant/pt2e/x86_json.h"

namespace app {
namespace {

using namespace fx::quant;

void checkRequest(const QuantizeRequest& request) {
    const auto refuse = [](fx::Message what) { throw fx::Error(fx::ErrorKind::Refused, std::move(what)); };
    if (request.backend != "x86") refuse(fx::Message("pt2e.backend", {{"backend", request.backend}}));
    if (request.mode == "weight-only") refuse(fx::Message("pt2e.mode", {{"mode", request.mode}}));
    if (request.reference) refuse(fx::Message("pt2e.reference"));
    const std::string& output = request.save.output;
    if (output.ends_with(".pt") || output.ends_with("/")) refuse(fx::Message("pt2e.output"));
}

pt2e::X86Quantizer quantizerFor(const QuantizeRequest& request) {
    const bool isQat = request.mode == "qat", isDynamic = request.mode == "dynamic";
    if (request.qconfig.empty()) {
        pt2e::X86Quantizer quantizer;
        quantizer.setGlobal(pt2e::defaultX86Config(isQat, isDynamic));
        return quantizer;
    }
    const char first = request.qconfig.front();
    const bool isText = first == '{' || first == '"' || request.qconfig == "null";
    const auto document = fx::JsonDocument::parse(isText ? request.qconfig : fx::readTextFile(request.qconfig));
    return pt2e::x86QuantizerFromJson(document->root(), isQat, isDynamic);
}

struct Result {
    pt2e::PreparedPt2e prepared;
    fx::GraphModule model;
    std::size_t batches = 0;
    fx::Warnings warnings;
    bool written = false, verified = false;
};

/// Runs the batches through the observers. Without a file, draws inputs and warns about it.
void calibrate(Session& session, const QuantizeRequest& request, WorkerQuantEngine& engine, Result& result) {
    std::vector<fx::Batch> batches;
    const std::string& file = request.inputs.inputsFile;
    if (!file.empty()) batches = fx::readBatches(file, session.progress());
    else result.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    result.batches = engine.calibrate(result.prepared.model, batches, session.progress());
    tellGuesses(session, engine.engine().calibration().guessed);
}

/// Names and graph do not depend on values: without an output nothing is computed.
void compute(Session& session, const QuantizeRequest& request, Result& result) {
    if (request.save.output.empty() && request.report.empty()) {
        result.model =
            request.prepared ? result.prepared.model : pt2e::convertPt2e(result.prepared, {}, nullptr, nullptr);
        return;
    }
    WorkerQuantEngine engine(session, request.inputs);
    WorkerEngine tensors(session, request.inputs);
    const bool hasInputs = !request.inputs.inputsFile.empty() || !request.inputs.inputs.empty();
    if (request.mode != "dynamic" && (!request.prepared || hasInputs)) calibrate(session, request, engine, result);
    result.model = request.prepared ? result.prepared.model : pt2e::convertPt2e(result.prepared, {}, &engine, &tensors);
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

std::string resultJson(const QuantizeRequest& request, const Result& result, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("observers").beginArray(fx::JsonWriter::Layout::Lines);
    for (const pt2e::Placement& placement : result.prepared.placements) writePlacement(json, placement);
    json.endArray().key("batches").integer(static_cast<std::int64_t>(result.batches));
    if (!request.show.empty()) json.key(request.show).string(shownText(result.model, request.show));
    json.key("written");
    if (result.written) json.string(request.save.output);
    else json.null();
    json.key("verified").boolean(result.verified);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

void save(Session& session, const QuantizeRequest& request, const fx::GraphModule& program, Result& result) {
    if (request.save.output.empty()) return;
    const bool isExport = request.save.output.ends_with(".pt2");
    result.verified = saveModel(session, isExport ? fx::liftedAs(result.model, program) : result.model, request.save);
    result.written = true;
    if (isExport) result.warnings.push_back({fx::Message("pt2e.needs_library"), {}, {}, {}});
}

} // namespace

int quantizePt2e(Session& session, const QuantizeRequest& request, const fx::GraphModule& program) {
    checkRequest(request);
    Result result;
    result.prepared = pt2e::preparePt2e(pt2e::exportedModule(program), quantizerFor(request));
    result.warnings = result.prepared.warnings;
    compute(session, request, result);
    save(session, request, program, result);
    const std::string json = session.json() || !request.report.empty()
                                 ? resultJson(request, result, session.andTold(result.warnings))
                                 : std::string();
    if (!request.report.empty()) {
        fx::ReplacedFile file(request.report);
        file.write(json + "\n");
        file.commit();
    }
    if (session.json()) return session.printLine(json), kDone;
    for (const fx::Warning& warning : result.warnings) session.warn(warning);
    session.printLine(request.show.empty() ? std::to_string(result.prepared.placements.size()) + " observers, " +
                                                 std::to_string(result.batches) + " batches"
                                           : shownText(result.model, request.show));
    return kDone;
}

} // namespace app

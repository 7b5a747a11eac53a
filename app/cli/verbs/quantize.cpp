// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_pt2e.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_quant_engine.h"
#include "core/codegen/graph_json.h"
#include "core/files/replaced_file.h"
#include "core/inputs/batches.h"
#include "core/quant/quantise.h"
#include "core/quant/report.h"
#include "core/remote/json_fields.h"

namespace app {
namespace {

using fx::quant::Mode;

/// Every path to a module and its class, modules with several paths at each.
void writeModules(fx::JsonWriter& json, const fx::Module& root) {
    std::vector<std::pair<std::string, const fx::Module*>> open{{"", &root}};
    json.key("modules").beginArray(fx::JsonWriter::Layout::Lines);
    while (!open.empty()) {
        const auto [path, module] = open.back();
        open.pop_back();
        if (!path.empty())
            json.beginObject().key("path").string(path).key("type").string(module->qualifiedType()).endObject();
        for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
            if (child->module)
                open.emplace_back(path.empty() ? child->name : path + "." + child->name, child->module.get());
    }
    json.endArray();
}

/// What each observer saw, and the range that it chose.
void writeRanges(fx::JsonWriter& json, const fx::remote::Calibration& calibration) {
    json.key("batches").integer(static_cast<std::int64_t>(calibration.batches));
    json.key("ranges").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::remote::ObserverState& state : calibration.observers) {
        json.beginObject().key("observer").string(state.path).key("values").integer(state.values);
        const auto number = [&](std::string_view key, double value) {
            json.key(key);
            fx::remote::writeReal(json, value);
        };
        number("min", state.least), number("max", state.greatest);
        json.key("scale");
        if (state.scale) fx::remote::writeReal(json, *state.scale);
        else json.null();
        json.key("zero_point").integer(state.zeroPoint);
        number("low", state.low), number("high", state.high);
        json.key("saturated").integer(state.saturated).endObject();
    }
    json.endArray();
}

/// What `quantize` made, and what it reports.
struct Result {
    fx::quant::PreparedModel prepared;
    fx::GraphModule model;
    std::optional<fx::remote::Calibration> calibration;
    fx::Warnings warnings;
    bool written = false, verified = false;
};

std::string resultJson(const QuantizeRequest& request, const Result& result, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    fx::quant::writeReport(json, result.prepared);
    if (result.calibration) writeRanges(json, *result.calibration);
    writeModules(json, *result.model.root);
    if (!request.show.empty()) json.key(request.show).string(shownText(result.model, request.show));
    json.key("written");
    fx::writeTextOrNull(json, result.written ? request.save.output : "");
    json.key("verified").boolean(result.verified);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

std::string summary(const Result& result) {
    std::size_t shared = 0;
    for (const auto& each : result.prepared.placements) shared += each.sharedWith.empty() ? 0 : 1;
    std::string text = std::to_string(result.prepared.placements.size()) + " observers, " + std::to_string(shared) +
                       " of them share another's; " + std::to_string(result.prepared.unquantised.size()) +
                       " nodes stay in floating point";
    if (result.calibration) text += "; " + std::to_string(result.calibration->batches) + " batches";
    return text;
}

/// Runs the batches through the observers. Without a file, draws inputs and warns about it.
void calibrate(Session& session, const QuantizeRequest& request, WorkerQuantEngine& engine, Result& result) {
    std::vector<fx::Batch> batches;
    const std::string& file = request.inputs.inputsFile;
    if (!file.empty()) {
        batches = fx::readBatches(file, session.progress());
        if (batches.empty()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.no_batches")).in(file);
    } else {
        result.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    }
    engine.engine().setDetails(!request.report.empty());
    engine.calibrate(result.prepared.model, batches, session.progress());
    result.calibration = engine.engine().calibration();
    tellGuesses(session, result.calibration->guessed);
}

void compute(Session& session, const QuantizeRequest& request, Mode mode, Result& result) {
    fx::quant::ConvertOptions options;
    options.isReference = request.reference;
    const bool computes = !request.save.output.empty() || !request.report.empty();
    if (!computes) { // names and graph do not depend on values
        result.model = request.prepared ? result.prepared.model : fx::quant::convert(result.prepared, options, nullptr);
        return;
    }
    WorkerQuantEngine engine(session, request.inputs);
    const bool observes = mode == Mode::Static || mode == Mode::Qat;
    const bool hasInputs = !request.inputs.inputsFile.empty() || !request.inputs.inputs.empty();
    if (observes && (!request.prepared || hasInputs)) calibrate(session, request, engine, result);
    result.model = request.prepared ? result.prepared.model : fx::quant::convert(result.prepared, options, &engine);
}

int run(Session& session, const QuantizeRequest& request) {
    if (!request.save.output.empty()) checkOutput(request.save.output);
    const auto model = session.json() ? session.open(request.save.model) : session.openWarning(request.save.model);
    if (!model->lifted.empty()) return quantizePt2e(session, request, *model);
    const Mode mode = *fx::quant::modeFromName(request.mode);
    fx::quant::PrepareOptions options;
    options.backend = fx::quant::BackendConfig::find(request.backendConfig);
    options.isQat = mode == Mode::Qat;
    const auto mapping = fx::quant::mappingFor(*fx::quant::backendFromName(request.backend), mode, request.qconfig);
    Result result;
    result.prepared = fx::quant::prepare(fx::quant::inModeFor(*model, mode, result.warnings), mapping, options);
    compute(session, request, mode, result);
    if (!request.save.output.empty()) {
        result.verified = saveModel(session, result.model, request.save);
        result.written = true;
    }
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
    session.printLine(request.show.empty() ? summary(result) : shownText(result.model, request.show));
    return kDone;
}

Action declare(CLI::App& cli) {
    auto request = std::make_shared<QuantizeRequest>();
    declareModel(cli, request->save.model);
    oneOf(cli.add_option("--backend", request->backend, "whose defaults are used; default: x86"),
          {"x86", "onednn", "fbgemm", "qnnpack"});
    oneOf(cli.add_option("--mode", request->mode, "what is quantised when; default: static"),
          {"static", "dynamic", "weight-only", "qat"});
    cli.add_option("--qconfig", request->qconfig, "rules for layers: JSON, or a file of it")->type_name("JSON");
    oneOf(cli.add_option("--backend-config", request->backendConfig, "what is fused and observed; default: native"),
          {"native", "x86", "onednn", "fbgemm", "qnnpack", "executorch", "tensorrt"});
    auto* prepared = cli.add_flag("--prepared", request->prepared, "make the model with its observers");
    cli.add_flag("--reference", request->reference, "make the reference form, which any backend can lower")
        ->excludes(prepared);
    cli.add_option("--report", request->report, "write what was observed, and by which rule, as JSON")
        ->type_name("FILE");
    request->save.declare(cli);
    request->inputs.declare(cli);
    declareShow(cli, request->show);
    return [request](Session& session) { return run(session, *request); };
}

} // namespace

const Verb kQuantizeVerb = {"quantize", "quantise a model as torch.ao does",
                            "lancet quantize resources/samples/simple_net.pt --prepared --show graph", declare};

} // namespace app

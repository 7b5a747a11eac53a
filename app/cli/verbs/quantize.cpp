// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/output.h"
#include "app/cli/quantize_pt2e.h"
#include "app/cli/quantize_scan.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_quant_engine.h"
#include "core/base/counted.h"
#include "core/base/joined_path.h"
#include "core/inputs/batches.h"
#include "core/model_files/foresee.h"
#include "core/model_files/load_weights.h"
#include "core/model_files/save_graphmodule.h"
#include "core/module/module_editor.h"
#include "core/module/module_paths.h"
#include "core/module/script_object.h"
#include "core/quant/idle_rules.h"
#include "core/quant/measure/in_float.h"
#include "core/quant/measure/one_layer.h"
#include "core/quant/quantise.h"
#include "core/quant/report.h"
#include "core/remote/quant_report.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using fx::quant::Mode;

/// Every path to a module and its class, modules with several paths at each; with the packed weights of functions,
/// which are attributes of a graph. Those of layers are the layer's.
void writeModules(fx::JsonWriter& json, const fx::Module& root) {
    fx::requireFewPaths(root);
    std::vector<std::pair<std::string, const fx::Module*>> open{{"", &root}};
    json.key("modules").beginArray(fx::JsonWriter::Layout::Lines);
    while (!open.empty()) {
        const auto [path, module] = open.back();
        open.pop_back();
        if (!path.empty())
            json.beginObject().key("path").string(path).key("type").string(module->qualifiedType()).endObject();
        const bool isGraph = path.empty() || module->graphModule;
        for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
            if (child->module && (isGraph || !fx::isScriptObject(*child->module)))
                open.emplace_back(fx::joinedPath(path, child->name), child->module.get());
    }
    json.endArray();
}

/// What `quantize` made, and what it reports.
struct Result {
    fx::quant::PreparedModel prepared;
    fx::GraphModule model;
    std::optional<fx::remote::Calibration> calibration;
    std::optional<fx::remote::LayerScan> scan;
    std::optional<fx::remote::LayerErrors> errors; ///< of the layers, against the model in floating point
    fx::Warnings warnings;
    bool written = false, verified = false;
};

std::string summary(const Result& result, const QuantizeRequest& request) {
    std::string text =
        result.scan ? scanText(*result.scan, result.prepared.model.graph, request.errorBudget) : std::string();
    const std::size_t observers = result.prepared.placements.size();
    std::size_t shared = 0;
    for (const auto& each : result.prepared.placements) shared += each.sharedWith.empty() ? 0 : 1;
    text += fx::counted(fx::quant::quantisedLayers(result.prepared).size(), "layer with weights is",
                        "layers with weights are") +
            " quantised; ";
    if (observers > 0) text += fx::counted(observers, "observer", "observers");
    if (shared > 0) text += ", " + fx::counted(shared, "shares", "share") + " another's instance";
    if (observers > 0) text += "; ";
    text += fx::counted(result.prepared.unquantised.size(), "node stays", "nodes stay") + " in floating point";
    if (result.calibration) text += "; " + fx::counted(result.calibration->batches, "batch", "batches");
    return text;
}

/// One run of the verb on a traced model.
class Quantization {
public:
    Quantization(Session& session, const QuantizeRequest& request, const fx::GraphModule& model)
        : m_session(session), m_request(request), m_mode(*fx::quant::modeFromName(request.mode)),
          m_engine(session, request.inputs) {
        m_options.backend = fx::quant::BackendConfig::find(request.backendConfig);
        m_options.isQat = m_mode == Mode::Qat;
        m_options.custom = fx::quant::customFor(m_request.qconfig);
        fx::Warnings modes, known; // results are compared in eval mode, whatever the model is trained in
        m_model = std::make_shared<const fx::GraphModule>(fx::quant::inModeFor(model, m_mode, modes));
        if (!isTrainedApart()) warn(modes); // what was trained is only converted, in eval mode
        m_original = m_mode == Mode::Qat
                         ? std::make_shared<const fx::GraphModule>(fx::quant::inModeFor(model, Mode::Static, known))
                         : m_model;
    }

    void run() {
        const Mode mode = m_mode;
        // names and graph do not depend on values
        const bool computes = !m_request.save.output.empty() || !m_request.report.empty() || m_request.scans();
        if (computes)
            m_model = std::make_shared<const fx::GraphModule>(fx::quant::withComputedConstants(*m_model, m_engine));
        m_mapping = readRules(m_request, [&] { return fx::quant::mappingFor(backend(), mode, m_request.qconfig); });
        result.prepared = fx::quant::prepare(*m_model, m_mapping, m_options);
        warn(result.prepared.warnings);
        warn(fx::quant::idleRules(*m_model, result.prepared, m_mapping, fx::quant::mappingFor(backend(), mode, {})));
        warn(fx::quant::nothingQuantised(*m_model, result.prepared, mode));
        m_observes = observes();
        warnOfUnusedInputs();
        if (!m_request.trained.empty()) loadTrained();
        if (computes) readInputs();
        warn(computes ? m_engine.engine().linearFoldWarnings(result.prepared, m_model, m_batches, m_session.progress())
                      : fx::quant::linearFoldWarnings(result.prepared, *m_model, {}));
        if (m_request.backend == "qnnpack" && (m_request.scans() || !m_request.report.empty()))
            warn({{fx::Message("quant.other_kernels"), {}, {}, {}}});
        if (m_request.scans()) scan();
        make(computes && !onlyScans());
        if (computes && !m_request.prepared) compare();
        save();
    }

    Result result;

private:
    /// With the model in floating point: all layers for --report, else the output on the first batch, so that a file
    /// whose results are lost is not written silently.
    void compare() {
        if (m_mode == Mode::Qat && m_request.trained.empty()) warnOfUntrained();
        if (!m_request.report.empty()) {
            if (takesQuantized()) result.warnings.push_back({fx::Message("quant.takes_quantised"), {}, {}, {}});
            else compareLayers();
            return;
        }
        const bool isMeasured = result.scan && result.scan->proposal; // and warned of
        if (!m_batches.empty() && m_observes && !takesQuantized() && !isMeasured && !m_request.save.output.empty() &&
            !m_request.save.noVerify)
            warn(m_engine.compareOutput(m_original, result.model, std::span<const fx::Batch>(m_batches).first<1>(),
                                        m_session.progress()));
    }

    void save() {
        if (m_request.save.output.empty()) return;
        const fx::SavedAs form = fx::savedAs(m_request.save.output);
        if (m_request.prepared && (form == fx::SavedAs::GraphModule || form == fx::SavedAs::Folder))
            warn({{fx::Message("quant.prepared_file", {{"file", m_request.save.output}}), {}, {}, {}}});
        SaveRequest save = m_request.save;
        save.takesQuantized = takesQuantized();
        if (!m_batches.empty() && !takesQuantized()) save.batch = m_batches.front();
        try {
            result.verified = saveModel(m_session, result.model, save);
        } catch (fx::Error& error) {
            // a script is run with the batch, which the observed model took
            const bool isQuantised = save.batch && m_observes && !m_request.prepared;
            if (isQuantised && error.kind() == fx::ErrorKind::Run && !error.node.empty() && error.hint.empty())
                error.hinting(fx::Message("quant.only_quantised_fails", {{"node", error.node}}).text());
            throw;
        }
        result.written = true;
    }

    fx::quant::Backend backend() const { return *fx::quant::backendFromName(m_request.backend); }
    void warn(const fx::Warnings& warnings) {
        result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
    }
    /// Whether the weights are those of a state dict after training: the model itself has others.
    bool isTrainedApart() const { return m_mode == Mode::Qat && !m_request.trained.empty(); }
    /// Whether observers are still to see data, as rules may ask for in any mode: those of the state dict of a prepared
    /// model have seen it.
    bool observes() const {
        if (!m_request.trained.empty()) return false;
        return m_mode == Mode::Static || m_mode == Mode::Qat ||
               fx::quant::needsData(*result.prepared.model.root, fx::quant::activationPlaces(result.prepared));
    }
    /// The converted model takes quantised inputs: batches in floating point do not fit it.
    bool takesQuantized() const { return !m_options.custom.quantizedInputs.empty(); }
    bool onlyScans() const { return m_request.scans() && m_request.save.output.empty() && m_request.report.empty(); }
    bool needsInputs() const {
        return m_request.scans() || (m_observes && (!m_request.prepared || m_request.inputs.isGiven()));
    }

    void loadTrained() {
        fx::GraphModule& model = result.prepared.model;
        model.root = fx::deepCopy(*model.root); // shares modules with what it was prepared from
        const std::size_t known = model.warnings.size();
        try {
            fx::loadWeights(model, {m_request.trained, !m_session.options().source.noStrict}, m_session.progress(),
                            fx::SharedNames::AnyOne, m_session.readers());
        } catch (const fx::Error& error) {
            if (!error.message().is("make.state_dict") && !error.message().is("make.state_dict_misfits")) throw;
            refuseTrained(error.message().argument("problems"));
        }
        warn({model.warnings.begin() + static_cast<std::ptrdiff_t>(known), model.warnings.end()});
        if (const std::string observer = fx::quant::misfitObserver(*model.root); !observer.empty())
            refuseTrained("one scale for each channel and one for all: " + observer);
        if (!m_request.prepared) warnOfRanges();
    }

    /// Data that neither calibrates, nor is compared on, nor is what a written program is run with.
    void warnOfUnusedInputs() {
        if (!m_request.inputs.isGiven() || m_observes || m_request.scans() || !m_request.report.empty()) return;
        if (!m_request.trained.empty()) warn({{fx::Message("quant.ignored_inputs"), {}, {}, {}}});
        else if (!m_request.save.output.ends_with(".ts")) warn({{fx::Message("quant.unused_inputs"), {}, {}, {}}});
    }

    void warnOfRanges() {
        warn(fx::quant::calibrationWarnings(*result.prepared.model.root, fx::quant::activationPlaces(result.prepared)));
    }

    [[noreturn]] void refuseTrained(const std::string& problems) const {
        throw fx::Error(fx::ErrorKind::Refused,
                        fx::Message("quant.trained_other",
                                    {{"backend", m_request.backend}, {"mode", m_request.mode}, {"problems", problems}}))
            .in(joined(m_request.trained, ", "));
    }

    /// Without a file, inputs are drawn: that calls for a warning where ranges or errors come from them.
    void readInputs() {
        const std::string& file = m_request.inputs.inputsFile;
        if (!file.empty()) m_batches = fx::readBatches(file, m_session.progress());
        else if (needsInputs()) result.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    }

    void warnOfUntrained() {
        warn({{fx::Message("quant.untrained"), {}, {}, {}}});
        if (!result.calibration) return;
        const auto& buffers = result.calibration->buffers;
        const auto changed = std::count_if(buffers.begin(), buffers.end(),
                                           [](const auto& each) { return each.first.ends_with("running_var"); });
        if (changed > 0) warn({{fx::Message("quant.statistics_changed", {{"count", changed}}), {}, {}, {}}});
    }

    void compareLayers() {
        if (m_batches.empty() && !result.calibration && !m_request.scans()) // of these, random inputs are warned of
            warn({{fx::Message("quant.random_comparison"), {}, {}, {}}});
        result.errors = m_engine.engine().layerErrors(m_original, std::make_shared<const fx::GraphModule>(result.model),
                                                      m_batches, m_session.progress());
        warn(fx::remote::lostOutput(result.errors->output.sqnr()));
    }

    void scan() {
        if (m_mode == Mode::Qat)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.scan_form", {{"form", "--mode qat"}}));
        if (takesQuantized())
            throw fx::Error(fx::ErrorKind::Refused,
                            fx::Message("quant.scan_form", {{"form", "a model with input_quantized_idxs"}}));
        if (!m_request.trained.empty()) // the layers are measured in the model, which has none of these weights
            throw fx::Error(fx::ErrorKind::Refused,
                            fx::Message("quant.scan_form", {{"form", "a prepared model's state dict (--weights)"}}));
        result.scan = scanLayers(m_session, m_request, fx::quant::quantisedLayers(result.prepared).size(),
                                 {m_model, m_mapping, m_options, m_observes, m_batches}, m_engine.engine());
        if (!result.scan->proposal) return;
        warn(scanWarnings(*result.scan, m_request));
        result.prepared = fx::quant::prepare(*m_model, result.scan->mapping, m_options);
    }

    void make(bool computes) {
        fx::quant::ConvertOptions options;
        options.isReference = m_request.reference;
        options.engine = backend();
        if (computes && m_observes && needsInputs()) {
            m_engine.engine().setDetails(!m_request.report.empty());
            m_engine.calibrate(result.prepared.model, m_batches, m_session.progress());
            result.calibration = m_engine.engine().calibration();
            tellGuesses(m_session, result.calibration->guessed);
            warnOfRanges();
        }
        if (!m_request.prepared) fx::quant::setEval(result.prepared);
        if (!m_request.trained.empty() && !m_request.report.empty()) // the model itself has other weights
            m_original = std::make_shared<const fx::GraphModule>(fx::quant::inFloat(result.prepared.model));
        result.model = m_request.prepared
                           ? result.prepared.model
                           : fx::quant::convert(result.prepared, options, computes ? &m_engine : nullptr);
        const fx::Warnings& all = result.model.warnings;
        for (std::size_t i = result.prepared.model.warnings.size(); i < all.size(); ++i)
            result.warnings.push_back(all[i]);
    }

    Session& m_session;
    const QuantizeRequest& m_request;
    Mode m_mode;
    WorkerQuantEngine m_engine;
    fx::quant::PrepareOptions m_options;
    fx::quant::QConfigMapping m_mapping;
    std::shared_ptr<const fx::GraphModule> m_model, m_original; ///< in the mode for quantising, and in eval mode
    std::vector<fx::Batch> m_batches;
    bool m_observes = false;
};

/// Traces a source as prepare_fx does: FloatFunctional is replaced first, and some modules are one node.
void leaveOut(const fx::quant::CustomConfig& custom, fx::SourceOptions& source) {
    source.swapsFloatFunctionals = true;
    source.leafPaths = custom.untracedNames;
    source.leafs.insert(source.leafs.end(), custom.untracedClasses.begin(), custom.untracedClasses.end());
    for (const fx::quant::StandaloneModule& each : custom.standalone) {
        (each.isClass ? source.leafs : source.leafPaths).push_back(each.name);
        const fx::quant::CustomConfig& inner = *each.custom;
        source.standalone.push_back(
            {each.isClass ? "" : each.name, each.isClass ? each.name : "", inner.untracedNames, inner.untracedClasses});
    }
    std::stable_partition(source.standalone.begin(), source.standalone.end(),
                          [](const auto& each) { return !each.path.empty(); }); // paths come before classes
}

/// Whether --weights has the state dict of a prepared model after training or calibration, and not weights for MODEL.
/// Throws for one that was prepared in another mode.
bool hasTrainedWeights(const Session& session, const QuantizeRequest& request) {
    const std::vector<std::string>& weights = session.options().source.weights;
    if (weights.empty()) return false;
    const std::optional<std::string_view> mode = fx::observersMode(weights, session.progress(), session.readers());
    if (mode && *mode != request.mode)
        throw fx::Error(fx::ErrorKind::Usage,
                        fx::Message("quant.trained_mode", {{"prepared", *mode}, {"mode", request.mode}}))
            .in(joined(weights, ", "));
    return mode.has_value();
}

/// Throws if the files that are written at the end cannot be.
void checkWritable(const QuantizeRequest& request) {
    for (const std::string* file : {&request.save.output, &request.report})
        if (!file->empty()) fx::checkTarget(*file);
}

int run(Session& session, QuantizeRequest request) {
    if (!request.save.output.empty()) checkOutput(request.save.output);
    checkWritable(request); // before what may take hours
    request.inputs.requireOneKind();
    if (request.errorBudget && !(*request.errorBudget >= 0 && std::isfinite(*request.errorBudget)))
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.error_budget"));
    request.save.inputs = request.inputs; // batches are given apart
    request.save.inputs.inputsFile.clear();
    request.save.takesInputs = true;
    // As prepare_fx(module.eval(), …) traces it, or prepare_qat_fx(module.train(), …).
    const bool eval = request.mode != "qat";
    if (hasTrainedWeights(session, request)) request.trained = session.takeWeights();
    const fx::quant::CustomConfig custom = readRules(request, [&] { return fx::quant::customFor(request.qconfig); });
    const auto asPrepareFx = [&](fx::SourceOptions& source) {
        source.eval = eval;
        leaveOut(custom, source);
    };
    const auto model = session.json() ? session.open(request.save.model, fx::NewWeights::Drawn, asPrepareFx)
                                      : session.openWarning(request.save.model, fx::NewWeights::Drawn, asPrepareFx);
    if (!model->lifted.empty()) return quantizePt2e(session, request, *model);
    Quantization work(session, request, *model);
    work.run();
    const Result& result = work.result;
    const QuantizeAnswer answer{result.model, result.warnings, summary(result, request), result.written,
                                result.verified};
    return answerQuantize(session, request, answer, [&](fx::JsonWriter& json) {
        fx::quant::writeReport(json, result.prepared);
        if (result.calibration) fx::remote::writeCalibration(json, *result.calibration);
        if (result.errors) fx::remote::writeLayerErrors(json, *result.errors, leastSqnr(request));
        if (result.scan) writeScan(json, *result.scan);
        writeModules(json, *result.model.root);
    });
}

Action declareQuantize(CLI::App& cli) {
    auto request = std::make_shared<QuantizeRequest>();
    declareModel(cli, request->save.model);
    oneOf(cli.add_option("--backend", request->backend, "backend whose default rules are used; default: x86"),
          {"x86", "onednn", "fbgemm", "qnnpack"});
    oneOf(cli.add_option("--mode", request->mode, "what is quantised, and when; default: static"),
          {"static", "dynamic", "weight-only", "qat"});
    reads(cli.add_option("--qconfig", request->qconfig, "rules for layers: JSON, or a file of it"))->type_name("JSON");
    oneOf(cli.add_option("--backend-config", request->backendConfig, "what is fused and observed; default: native"),
          {"native", "x86", "onednn", "fbgemm", "qnnpack", "executorch", "tensorrt"});
    auto* prepared = cli.add_flag("--prepared", request->prepared, "make the model with its observers");
    cli.add_flag("--reference", request->reference, "make the reference form, which any backend can lower")
        ->excludes(prepared);
    cli.add_flag("--scan", request->scan, "measure what quantising each layer alone costs the output")
        ->excludes(prepared);
    writes(cli.add_option("--resume", request->resume, "keep the scan in FILE, and continue the one that is there"))
        ->type_name("FILE")
        ->excludes(prepared);
    cli.add_option("--error-budget", request->errorBudget,
                   "minimum SQNR of the output in dB: scan, and leave layers that cost more in floating point")
        ->type_name("DB")
        ->excludes(prepared);
    writes(cli.add_option("--report", request->report,
                          "write what was observed, the rules, and the error of each layer, as JSON"))
        ->type_name("FILE");
    request->save.declare(cli, Writes::Model); // the model in floating point cannot be had back
    request->inputs.declare(cli);
    declareShow(cli, request->show);
    return [request](Session& session) { return run(session, *request); };
}

} // namespace

const Verb kQuantizeVerb = {"quantize", "quantise a model as torch.ao does",
                            "lancet quantize resources/samples/simple_net.pt --prepared --show graph", declareQuantize};

} // namespace app

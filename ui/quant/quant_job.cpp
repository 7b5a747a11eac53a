// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_job.h"

#include "core/edit/quantised_of.h"
#include "core/inputs/batches.h"
#include "core/io/ir_json/ir_json.h"
#include "core/model_files/lift_module.h"
#include "core/quant/idle_rules.h"
#include "core/quant/measure/layer_sizes.h"
#include "core/quant/pt2e/convert_pt2e.h"
#include "core/quant/pt2e/exported_module.h"
#include "core/quant/qconfig_json.h"
#include "core/quant/quantise.h"
#include "core/quant/report.h"
#include "core/remote/quant_report.h"
#include "ui/run/run_request.h"

#include <algorithm>

namespace ui {

namespace {

using fx::quant::Mode;

/// The worker's engine with what it needs for a version: batches of the file, or inputs to draw.
struct Bench {
    std::vector<fx::Batch> batches;
    fx::remote::QuantWorker engine;

    Bench(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices,
          const std::optional<fx::InputDescription>& inputs, bool runs)
        : batches(runs && !choices.dataFile.isEmpty() ? fx::readBatches(choices.dataFile.toStdString(), call.progress)
                                                      : std::vector<fx::Batch>()),
          engine(call.client,
                 runs && choices.dataFile.isEmpty() ? requestToRun(version, inputs.value(), call.progress)
                                                    : fx::remote::RunRequest(),
                 call.timeout, call.progress) {}
};

void addWarnings(const fx::Warnings& warnings, Quantised& made) {
    made.warnings.insert(made.warnings.end(), warnings.begin(), warnings.end());
}

void calibrate(Bench& bench, fx::GraphModule& prepared, const fx::Progress& progress, Quantised& made) {
    if (bench.batches.empty()) made.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    progress.report("calibrating", 0);
    bench.engine.setDetails(true);
    made.batches = bench.engine.calibrate(prepared, bench.batches, progress);
    made.measured.calibration = bench.engine.calibration();
}

/// The result is there whether its layers can be compared or not.
void compare(Bench& bench, const std::shared_ptr<const fx::GraphModule>& original, const fx::Progress& progress,
             Quantised& made) {
    progress.report("comparing layers", 0);
    try {
        made.measured.errors = bench.engine.layerErrors(original, made.model, bench.batches, progress);
        addWarnings(fx::remote::lostOutput(made.measured.errors->output.sqnr()), made);
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        made.warnings.push_back({fx::Message("quant.not_compared", {{"reason", error.what()}}), {}, {}, {}});
    }
}

void measureSizes(const std::shared_ptr<const fx::GraphModule>& version, QuantMeasured& measured) {
    measured.before = version;
    measured.bytesBefore = fx::quant::tensorBytes(*version->root);
    measured.bytesAfter = fx::quant::tensorBytes(*measured.after->root);
    if (!measured.errors) return;
    fx::PathResolver before(*version->root), after(*measured.after->root);
    for (const fx::remote::LayerError& layer : measured.errors->layers) {
        const fx::Module *old = before.resolve(layer.layer).module, *made = after.resolve(layer.layer).module;
        if (old && made)
            measured.layerBytes[layer.layer] = {fx::quant::tensorBytes(*old), fx::quant::tensorBytes(*made)};
    }
}

void writeStep(const QuantChoices& choices, const fx::GraphModule& before, const std::string& folder,
               const fx::Progress& progress, Quantised& made) {
    progress.report("keeping the result", 0);
    const fx::IrDescription description = fx::describeAsIr(*made.model, progress);
    made.file = fx::PastedFile::make(folder, [&](const std::string& path) {
        fx::ReplacedFile out(path);
        fx::writeSafetensors(out, description.weights, progress);
        out.commit();
    });
    fx::StepList::Quantisation step;
    const std::string form = formName(choices.form).toStdString();
    step.backend = fx::quant::backendName(choices.backend);
    step.mode = fx::quant::modeName(choices.mode);
    step.form = form;
    if (made.batches > 0) step.inputs = choices.dataFile.toStdString();
    if (!choices.rules.empty()) step.qconfig = fx::quant::toJson(choices.mapping());
    step.of = fx::quantisedOf(before);
    step.graph = description.text;
    step.file = made.file->path();
    made.steps = fx::StepList().quantize(step);
}

template<class Prepared> void countObservers(const Prepared& prepared, Quantised& made) {
    made.observers = prepared.placements.size();
    made.shared = static_cast<std::size_t>(std::count_if(prepared.placements.begin(), prepared.placements.end(),
                                                         [](const auto& each) { return !each.sharedWith.empty(); }));
}

/// torch.ao's FX mode.
void quantiseTraced(Bench& bench, const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices,
                    bool compares, const fx::Progress& progress, Quantised& made) {
    fx::quant::PrepareOptions options;
    options.isQat = choices.mode == Mode::Qat;
    const auto original = std::make_shared<const fx::GraphModule>(
        fx::quant::withComputedConstants(fx::quant::inModeFor(*version, choices.mode, made.warnings), bench.engine));
    fx::quant::PreparedModel prepared = fx::quant::prepare(*original, choices.mapping(), options);
    addWarnings(prepared.warnings, made);
    addWarnings(bench.engine.linearFoldWarnings(prepared, original, bench.batches, progress), made);
    addWarnings(fx::quant::idleRules(*original, prepared, choices.mapping(),
                                     fx::quant::mappingFor(choices.backend, choices.mode, {})),
                made);
    made.unquantised = prepared.unquantised.size();
    countObservers(prepared, made);
    made.isAnything = fx::quant::quantisesAnything(prepared);
    if (!made.isAnything) return addWarnings(fx::quant::nothingQuantised(choices.mode), made);
    const auto places = fx::quant::activationPlaces(prepared);
    const bool mayCalibrate = choices.form != QuantChoices::Form::Prepared && (compares || !bench.batches.empty());
    if (choices.calibrates() || (mayCalibrate && fx::quant::needsData(*prepared.model.root, places)))
        calibrate(bench, prepared.model, progress, made);
    if (choices.form != QuantChoices::Form::Prepared || made.batches > 0)
        addWarnings(fx::quant::calibrationWarnings(*prepared.model.root, places), made);
    fx::GraphModule result;
    if (choices.form == QuantChoices::Form::Prepared) {
        addWarnings({{fx::Message("quant.prepared_file", {{"file", ""}}), {}, {}, {}}}, made);
        result = std::move(prepared.model);
    } else {
        progress.report("converting", 0);
        fx::quant::ConvertOptions convert;
        convert.isReference = choices.form == QuantChoices::Form::Reference;
        convert.engine = choices.backend;
        fx::quant::setEval(prepared);
        result = fx::quant::convert(prepared, convert, &bench.engine);
    }
    made.model = std::make_shared<const fx::GraphModule>(std::move(result));
    if (compares) compare(bench, original, progress, made);
}

/// torchao's PT2E, for exported programs; the result is an exported program again.
void quantiseExported(Bench& bench, const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices,
                      bool compares, const fx::Progress& progress, Quantised& made) {
    namespace pt2e = fx::quant::pt2e;
    const auto original = std::make_shared<const fx::GraphModule>(pt2e::exportedModule(*version));
    pt2e::X86Quantizer quantizer;
    quantizer.setGlobal(pt2e::defaultX86Config(false, choices.mode == Mode::Dynamic));
    pt2e::PreparedPt2e prepared = pt2e::preparePt2e(*original, quantizer);
    addWarnings(prepared.warnings, made);
    countObservers(prepared, made);
    made.unquantised = pt2e::inFloatingPoint(prepared).size();
    made.isAnything = made.observers > 0;
    if (!made.isAnything) return addWarnings(fx::quant::nothingQuantised(choices.mode), made);
    if (choices.calibrates()) calibrate(bench, prepared.model, progress, made);
    addWarnings(fx::quant::calibrationWarnings(*prepared.model.root, pt2e::activationPlaces(prepared)), made);
    progress.report("converting", 0);
    made.model = std::make_shared<const fx::GraphModule>(pt2e::convertPt2e(prepared, {}, &bench.engine));
    if (compares) compare(bench, original, progress, made);
    made.model = std::make_shared<const fx::GraphModule>(fx::liftedAs(*made.model, *version));
}

} // namespace

const fx::remote::ObserverState* QuantMeasured::observer(const QString& name) const {
    const auto found = std::find_if(calibration.observers.begin(), calibration.observers.end(),
                                    [&](const auto& each) { return each.path == name.toStdString(); });
    return found == calibration.observers.end() ? nullptr : &*found;
}

Quantised quantiseVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                          const QuantChoices& choices, const std::optional<fx::InputDescription>& inputs,
                          const std::string& folder) {
    Quantised made;
    call.progress.report("inserting observers", 0);
    const bool compares = choices.compares() && (!choices.dataFile.isEmpty() || inputs);
    Bench bench(call, version, choices, inputs, choices.calibrates() || compares);
    if (version->lifted.empty()) quantiseTraced(bench, version, choices, compares, call.progress, made);
    else quantiseExported(bench, version, choices, compares, call.progress, made);
    if (!made.isAnything) return made;
    made.measured.choices = choices;
    if (inputs) made.measured.inputs = fx::inputsJson(*inputs);
    made.measured.after = made.model;
    measureSizes(version, made.measured);
    writeStep(choices, *version, folder, call.progress, made);
    return made;
}

fx::remote::LayerScan scanVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                                  const QuantChoices& choices, const fx::InputDescription& inputs,
                                  QuantScanProgress& progress) {
    fx::Warnings warnings;
    Bench bench(call, version, choices, inputs, true);
    fx::remote::Quantisation of;
    of.model = std::make_shared<const fx::GraphModule>(
        fx::quant::withComputedConstants(fx::quant::inModeFor(*version, choices.mode, warnings), bench.engine));
    of.mapping = choices.mapping(), of.observes = choices.observes(), of.batches = bench.batches;
    fx::remote::ScanOptions options;
    options.known = progress.get(), options.leastSqnr = choices.leastSqnr;
    options.measured = [&](const fx::quant::SensitivityScan& scan) { progress.put(scan); };
    return fx::remote::scanLayers(of, options, bench.engine, call.progress);
}

} // namespace ui

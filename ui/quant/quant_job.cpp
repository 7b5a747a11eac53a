// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_job.h"

#include "core/edit/quantised_of.h"
#include "core/inputs/batches.h"
#include "core/io/ir_json/ir_json.h"
#include "core/json/json_writer.h"
#include "core/quant/quantise.h"
#include "core/remote/quant_worker.h"
#include "ui/run/run_request.h"

#include <algorithm>

namespace ui {

namespace {

void calibrate(fx::remote::QuantWorker& engine, fx::quant::PreparedModel& prepared, const std::string& file,
               const fx::Progress& progress, Quantised& made) {
    std::vector<fx::Batch> batches;
    if (file.empty()) {
        made.warnings.push_back({fx::Message("quant.random_inputs"), {}, {}, {}});
    } else {
        batches = fx::readBatches(file, progress);
    }
    progress.report("calibrating", 0);
    made.batches = engine.calibrate(prepared.model, batches, progress);
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
    fx::JsonWriter json;
    json.beginArray().beginObject().key("step").string("quantize");
    json.key("backend").string(fx::quant::backendName(choices.backend));
    json.key("mode").string(fx::quant::modeName(choices.mode));
    json.key("form").string(formName(choices.form).toStdString());
    if (!choices.dataFile.isEmpty() && choices.calibrates()) json.key("inputs").string(choices.dataFile.toStdString());
    json.key("of").string(fx::quantisedOf(before));
    json.key("graph").string(description.text).key("file").string(made.file->path()).endObject().endArray();
    made.steps = QByteArray::fromStdString(json.text());
}

} // namespace

Quantised quantiseVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                          const QuantChoices& choices, const fx::InputDescription& inputs, const std::string& folder) {
    Quantised made;
    call.progress.report("inserting observers", 0);
    fx::quant::PrepareOptions options;
    options.isQat = choices.mode == fx::quant::Mode::Qat;
    fx::quant::PreparedModel prepared =
        fx::quant::prepare(fx::quant::inModeFor(*version, choices.mode, made.warnings),
                           fx::quant::mappingFor(choices.backend, choices.mode, {}), options);
    made.warnings.insert(made.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
    made.observers = prepared.placements.size(), made.unquantised = prepared.unquantised.size();
    made.shared = static_cast<std::size_t>(std::count_if(prepared.placements.begin(), prepared.placements.end(),
                                                         [](const auto& each) { return !each.sharedWith.empty(); }));
    fx::remote::RunRequest run;
    if (choices.calibrates() && choices.dataFile.isEmpty()) run = requestToRun(version, inputs, call.progress);
    fx::remote::QuantWorker engine(call.client, std::move(run), call.timeout, call.progress);
    if (choices.calibrates()) calibrate(engine, prepared, choices.dataFile.toStdString(), call.progress, made);
    fx::GraphModule result;
    if (choices.form == QuantChoices::Form::Prepared) {
        result = std::move(prepared.model);
    } else {
        call.progress.report("converting", 0);
        fx::quant::ConvertOptions convert;
        convert.isReference = choices.form == QuantChoices::Form::Reference;
        result = fx::quant::convert(prepared, convert, &engine);
    }
    made.model = std::make_shared<const fx::GraphModule>(std::move(result));
    writeStep(choices, *version, folder, call.progress, made);
    return made;
}

} // namespace ui

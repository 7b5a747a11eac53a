// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/edit/quantised_of.h"
#include "core/edit/step.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/file_inside.h"
#include "core/ir/print.h"

namespace fx {

std::string quantisedOf(const GraphModule& model) { return sha256(graphText(model.graph)); }

void takeQuantised(const Step& step) {
    if (step.text("of") != quantisedOf(step.model)) throw step.refused(Message("edit.quantised_other"));
    const std::string file = step.text("file");
    const IrDescription made{step.text("graph"), readSafetensors(openFileInside(file), step.progress)};
    GraphModule model = *readIrDescription(made, file, step.progress);
    // It is still the model of the file that was opened.
    model.format = step.model.format, model.producer = step.model.producer, model.path = step.model.path;
    model.origin = step.model.origin, model.tracerClass = step.model.tracerClass;
    model.modelNames = step.model.modelNames, model.modelName = step.model.modelName;
    step.model = std::move(model);
}

} // namespace fx

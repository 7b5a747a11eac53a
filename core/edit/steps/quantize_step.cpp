// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/edit/kept_result.h"
#include "core/edit/quantised_of.h"
#include "core/edit/steps/step.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/file_inside.h"
#include "core/ir/print.h"

namespace fx {

std::string quantisedOf(const GraphModule& model) { return sha256(graphText(model.graph)); }

std::optional<std::string> quantisedWith(const StepList& steps) {
    std::optional<std::string> file;
    for (const JsonValue step : steps)
        if (textIn(step, "step") == "quantize") file = textIn(step, "inputs");
    return file;
}

void takeQuantised(const Step& step) {
    if (step.text("of") != quantisedOf(step.model)) throw step.refused(Message("edit.quantised_other"));
    const std::string file = step.text("file");
    const IrDescription made{step.text("graph"), readSafetensors(openFileInside(file), step.progress)};
    becomeResult(step.model, std::move(*readIrDescription(made, file, step.progress)));
}

} // namespace fx

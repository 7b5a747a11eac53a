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

std::optional<std::string> quantisedWith(const std::string& steps) {
    if (steps.find("quantize") == steps.npos) return std::nullopt; // most do not: the steps need not be parsed
    const auto document = JsonDocument::parse(steps);
    std::optional<std::string> file;
    for (const JsonValue step : document->root()) {
        const JsonValue name = step.find("step"), inputs = step.find("inputs");
        if (!name.exists() || !name.isString() || name.asText() != "quantize") continue;
        file = inputs.exists() && inputs.isString() ? std::string(inputs.asText()) : std::string();
    }
    return file;
}

bool quantises(const std::string& steps) { return quantisedWith(steps).has_value(); }

void takeQuantised(const Step& step) {
    if (step.text("of") != quantisedOf(step.model)) throw step.refused(Message("edit.quantised_other"));
    const std::string file = step.text("file");
    const IrDescription made{step.text("graph"), readSafetensors(openFileInside(file), step.progress)};
    becomeResult(step.model, std::move(*readIrDescription(made, file, step.progress)));
}

} // namespace fx

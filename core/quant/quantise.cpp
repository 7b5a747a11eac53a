// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/quantise.h"

#include "core/module/module_editor.h"

namespace fx::quant {
namespace {

/// Returns whether a module was in the other mode.
bool setTraining(GraphModule& model, bool trains) {
    std::vector<std::string> others;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (module.training != trains) others.push_back(path);
    });
    ModuleEditor editor(model);
    for (const std::string& path : others)
        if (Module* module = editor.writable(path)) module->training = trains;
    return !others.empty();
}

} // namespace

GraphModule inModeFor(const GraphModule& model, Mode mode, Warnings& warnings) {
    const bool trains = mode == Mode::Qat;
    GraphModule result = model;
    if (!setTraining(result, trains)) return result;
    // A source is as its constructor left it: only a file tells which mode was meant.
    if (model.format != Format::Python)
        warnings.push_back({trains ? Message("quant.was_eval") : Message("quant.was_training"), {}, {}, {}});
    return result;
}

void setEval(PreparedModel& prepared) { setTraining(prepared.model, false); }

} // namespace fx::quant

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/python_steps.h"
#include "core/edit/steps/load_weights_step.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/tensors/choose_state_dict.h"
#include "core/io/zip/file_inside.h"

namespace fx {
namespace {

/// `torch.load(file)["model"]`
std::string stateDictText(const PythonStep& step, const std::string& path, const StateDict& dict) {
    const std::string file = step.script.file(path);
    if (dict.className == kExportedProgram) return "torch.export.load(" + file + ").state_dict";
    if (!dict.className.empty()) return "torch.load(" + file + ", weights_only=False).state_dict()";
    const auto data = openFileInside(path);
    if (!ZipArchive::looksLikeZip(*data) && !TorchFile::looksOld(*data)) {
        step.script.imports.insert("from safetensors.torch import load_file");
        return "load_file(" + file + ")";
    }
    return "torch.load(" + file + ")" + (dict.key.empty() ? "" : "[" + PythonScript::quoted(dict.key) + "]");
}

} // namespace

void writePythonWeights(const PythonStep& step) {
    if (step.before.format == Format::Pt2) throw inexpressible(step, Message("python_script.no_modules"));
    const WeightsFile file = weightsOf(step.json);
    const std::vector<StateDict> found = stateDictsOfStep(file.path);
    const ChosenDict chosen = chooseStateDict(found, file, stateDictOf(*step.before.root));
    const StateDict& dict = *chosen.dict;
    if (dict.key.find('.') != dict.key.npos || (!dict.key.empty() && !dict.className.empty()))
        throw inexpressible(step, Message("python_script.nested_weights", {{"key", dict.key}}));
    std::string text = stateDictText(step, file.path, dict);
    if (!chosen.prefix.empty())
        text = "{name.removeprefix(" + PythonScript::quoted(chosen.prefix) + "): tensor for name, tensor in " + text +
               ".items()}";
    const bool strict = !step.has("strict") || step.flag("strict");
    step.script.line("gm.load_state_dict(" + text + (strict ? ")" : ", strict=False)"));
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/load_weights_step.h"

#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/open_archive.h"
#include "core/io/tensors/load_state_dicts.h"
#include "core/io/zip/file_inside.h"

namespace fx {

WeightsFile weightsOf(const JsonValue& step) {
    return {std::string(step.at("file").asText()), std::string(textIn(step, "key"))};
}

std::vector<StateDict> stateDictsOfStep(const std::string& path, const Progress& progress) {
    const auto file = openFileInside(path);
    const auto archive =
        ZipArchive::looksLikeZip(*file) ? std::optional(ZipArchive::open(file)) : std::optional<ZipArchive>();
    const FileKind kind = fileKind(*file, archive ? &*archive : nullptr);
    if (kind == FileKind::TorchScript || kind == FileKind::Project)
        throw Error(ErrorKind::Refused, Message("edit.weights_of_other", {{"file", path}})).in(path);
    std::vector<StateDict> found;
    if (kind != FileKind::Pt2) found = readStateDicts(path, progress);
    if (!found.empty()) return found;
    if (!archive && !TorchFile::looksOld(*file)) throw Error(ErrorKind::File, Message("tensors.none")).in(path);
    try {
        const auto model =
            archive ? openArchive(*archive, {}, progress) : openTorchSave(TorchFile::open(file, progress), progress);
        StateDict whole;
        whole.className = model->format == Format::Pt2 ? kExportedProgram : model->className;
        whole.tensors = stateDictOf(*model->root);
        found.push_back(std::move(whole));
    } catch (const Error& error) { throw notWeights(error); }
    return found;
}

void loadWeightsStep(const Step& step) {
    const WeightsFile file = weightsOf(step.json);
    LoadSettings settings;
    settings.strict = !step.has("strict") || step.flag("strict");
    for (Warning& warning :
         loadStateDicts(step.model, {{file, stateDictsOfStep(file.path, step.progress)}}, settings, step.progress))
        step.warnings.push_back(std::move(warning));
}

} // namespace fx

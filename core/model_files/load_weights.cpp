// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/load_weights.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/model_files/open.h"

namespace fx {
namespace {

using namespace std::string_view_literals;

/// The state dicts in a file: those of a file of torch.save or safetensors, or that of a model in another format.
std::vector<StateDict> stateDictsIn(const std::string& file, const Progress& progress, const Readers& readers) {
    const FileKind kind = kindOfModel(file);
    if (kind == FileKind::TorchSave || kind == FileKind::Other) {
        std::vector<StateDict> found = readStateDicts(file, progress);
        if (!found.empty()) return found;
        if (kind == FileKind::Other) throw Error(ErrorKind::File, Message("tensors.none")).in(file);
    }
    if (kind == FileKind::Source) throw Error(ErrorKind::File, Message("tensors.unreadable")).in(file);
    if (kind == FileKind::TorchScript && !readers.script) // where sources are followed
        throw Error(ErrorKind::File, Message("tensors.of_script")).in(file);
    OpenOptions options;
    options.readers = readers;
    std::vector<StateDict> out(1);
    try {
        out[0].tensors = stateDictOf(*openModel(file, options, progress)->root);
    } catch (const Error& error) { throw notWeights(error); }
    return out;
}

void load(GraphModule& model, const WeightsFiles& weights, const LoadSettings& settings, const Progress& progress,
          const Readers& readers) {
    std::vector<FoundDicts> files;
    for (const std::string& name : weights.files) {
        const WeightsFile file = splitWeightsFile(name);
        files.push_back({file, stateDictsIn(file.path, progress, readers)});
    }
    for (Warning& warning : loadStateDicts(model, files, settings, progress))
        model.warnings.push_back(std::move(warning));
}

} // namespace

std::optional<std::string_view> observersMode(const std::vector<std::string>& files, const Progress& progress,
                                              const Readers& readers) {
    bool isObserved = false, isTrained = false;
    for (const std::string& file : files)
        for (const StateDict& dict : stateDictsIn(splitWeightsFile(file).path, progress, readers))
            for (const auto& [name, tensor] : dict.tensors) {
                isTrained |= lastAtom(name) == "observer_enabled";
                isObserved |= name.find("activation_post_process") != name.npos && name.ends_with(".min_val");
            }
    return isTrained ? std::optional("qat"sv) : isObserved ? std::optional("static"sv) : std::nullopt;
}

void loadWeights(GraphModule& model, const WeightsFiles& weights, const Progress& progress, SharedNames shared,
                 const Readers& readers) {
    load(model, weights, {weights.strict, shared, false}, progress, readers);
}

void loadConstructed(GraphModule& model, const WeightsFiles& weights, const Progress& progress,
                     const Readers& readers) {
    load(model, weights, {weights.strict, SharedNames::All, true}, progress, readers);
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_request.h"

#include "core/journal/kept_base.h"
#include "core/model_files/save_project.h"
#include "core/remote/save_model.h"
#include "ui/run/run_request.h"

namespace ui {

namespace {

/// TorchScript is run with the inputs of the document, or guessed ones.
fx::remote::RunRequest inputsOf(const SaveRequest& request, const fx::Progress& progress) {
    const bool isGuess = request.inputs.empty();
    fx::remote::RunRequest run =
        requestToRun(request.version, isGuess ? request.tried : fx::inputsFromJson(request.inputs), progress);
    run.anyGuess = isGuess; // a guess that the model does not take is no reason to refuse the file
    return run;
}

fx::remote::SaveOptions optionsOf(const SaveRequest& request, const std::string& path, const fx::Progress& progress) {
    fx::remote::SaveOptions options;
    options.overForeignWeights = true; // the user was asked
    options.note = "Written by Lancet " LANCET_VERSION ". Weights are not in it.";
    options.worker = request.worker;
    const fx::SavedAs format = fx::savedAs(path);
    if (format == fx::SavedAs::TorchScript) options.inputs = inputsOf(request, progress);
    if (format == fx::SavedAs::Project) {
        options.project = fx::projectOf(request.history);
        options.project->view = request.view;
        options.project->inputs = request.inputs;
    }
    return options;
}

/// Saving over the file that edits are of ends here if its content cannot be kept: another name needs no copy.
void keepBaseOf(fx::Journal& journal, const std::string& path) {
    try {
        journal.beforeOverwriting(path);
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        throw fx::Error(error.kind(), fx::Message("journal.base_not_kept",
                                                  {{"reason", error.what()}, {"cause", error.message().code()}}))
            .in(path);
    }
}

} // namespace

SavedFile writeSaved(const SaveRequest& request, const fx::Progress& progress) {
    const std::string path = request.path.toStdString();
    progress.check();
    for (const auto& journal : request.journals) keepBaseOf(*journal, path);
    fx::keepForJournals(fx::Journal::defaultFolder(), path);
    SavedFile saved{fx::remote::saveModel(request.version, path, optionsOf(request, path, progress), progress),
                    std::nullopt};
    saved.identity = identityAt(request.path, {});
    return saved;
}

std::optional<fx::ModelIdentity> identityAt(const QString& path, const std::string& modelName) {
    try {
        return fx::ModelIdentity::of((path.endsWith(u'/') ? path.chopped(1) : path).toStdString(), modelName);
    } catch (const fx::Error&) { return std::nullopt; }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_request.h"

#include "core/codegen/module_source.h"
#include "core/files/replaced_file.h"
#include "core/model_files/journal/kept_base.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_project.h"
#include "core/model_files/save_pt2.h"
#include "core/remote/save_script.h"
#include "core/remote/worker_client.h"
#include "ui/run/run_request.h"

namespace ui {

namespace {

fx::SaveReport saveAsProject(const SaveRequest& request, const std::string& path, const fx::Progress& progress) {
    fx::Project project = fx::projectOf(request.history);
    project.view = request.view;
    project.inputs = request.inputs;
    return fx::saveProject(project, *request.version, path, true, progress);
}

fx::SaveReport saveAsSource(const SaveRequest& request, const std::string& path) {
    fx::ReplacedFile file(path);
    file.write(fx::moduleSource(*request.version, "Written by Lancet " LANCET_VERSION ". Weights are not in it."));
    file.commit();
    return {};
}

/// By a worker on this machine, whatever runs models; with the inputs of the document, or guessed ones.
fx::SaveReport saveAsScript(const SaveRequest& request, const std::string& path, const fx::Progress& progress) {
    fx::remote::WorkerClient worker({});
    const fx::InputDescription inputs =
        request.inputs.empty() ? fx::InputDescription() : fx::inputsFromJson(request.inputs);
    return fx::remote::saveScript(worker, request.version, path, requestToRun(request.version, inputs, progress), true,
                                  progress);
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

fx::SaveReport write(const SaveRequest& request, const std::string& path, const fx::Progress& progress) {
    if (path.ends_with(".lancet")) return saveAsProject(request, path, progress);
    if (path.ends_with(".ts")) return saveAsScript(request, path, progress);
    if (path.ends_with(".pt2")) return fx::savePt2(*request.version, path, true, progress);
    if (path.ends_with('/')) return fx::saveFolder(*request.version, path, true, progress);
    if (path.ends_with(".py")) return saveAsSource(request, path);
    if (path.ends_with(".json")) return fx::saveDescription(*request.version, path, true, progress);
    return fx::saveGraphModule(*request.version, path, true, progress);
}

} // namespace

SavedFile writeSaved(const SaveRequest& request, const fx::Progress& progress) {
    const std::string path = request.path.toStdString();
    progress.check();
    for (const auto& journal : request.journals) keepBaseOf(*journal, path);
    fx::keepForJournals(fx::Journal::defaultFolder(), path);
    SavedFile saved{write(request, path, progress), std::nullopt};
    saved.identity = identityAt(request.path, {});
    return saved;
}

std::optional<fx::ModelIdentity> identityAt(const QString& path, const std::string& modelName) {
    try {
        return fx::ModelIdentity::of((path.endsWith(u'/') ? path.chopped(1) : path).toStdString(), modelName);
    } catch (const fx::Error&) { return std::nullopt; }
}

} // namespace ui

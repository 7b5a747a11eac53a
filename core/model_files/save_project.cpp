// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/save_project.h"

#include "core/diff/written_check.h"
#include "core/files/replaced_file.h"
#include "core/io/open_archive.h"
#include "core/ir/print.h"
#include "core/model_files/read_back.h"

namespace fx {
namespace {

/// The project in the file that a model comes from, which another program may have written since.
Project projectAround(const GraphModule& current) {
    OpenedProject opened = readStoredProject(ZipArchive::open(DataFile::open(current.path)), openArchive);
    if (!opened.current || graphText(opened.current->graph) != graphText(current.graph))
        throw Error(ErrorKind::Refused, Message("project.replaced")).in(current.path);
    return std::move(opened.project);
}

} // namespace

SaveReport saveProject(const Project& project, const GraphModule& current, const std::string& path, bool verify,
                       const Progress& progress) {
    SaveReport report;
    KeptFile before(path);
    writeProject(project, current, path, progress);
    if (verify) requireSame(current, *readBack(path, kSaveAsOther, {}, progress), path, progress);
    before.forget();
    report.verified = verify;
    return report;
}

Project projectOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress, bool keepsContent) {
    if (opened->format == Format::Lancet && !opened->path.empty()) {
        const auto file = DataFile::open(opened->path);
        if (keepsContent) file->keepContent(); // the versions are made of what is in it
        return readStoredProject(ZipArchive::open(file), openArchive, progress).project;
    }
    Project project;
    project.original = opened;
    return project;
}

Project projectApart(const GraphModule& current, const Progress& progress) {
    Project project;
    if (current.format == Format::Lancet) project = projectOf(std::make_shared<const GraphModule>(current), progress);
    project.isApart = true;
    return project;
}

Project projectOf(const History& history) {
    // A current model that was stored apart is the first version; its project knows the original.
    const auto& first = history.entries().front().model;
    const bool isApart = first->format == Format::Lancet;
    Project project = isApart ? projectAround(*first) : projectOf(first);
    project.isApart = isApart;
    project.edits.clear();
    project.version = 0;
    for (std::size_t i = 1; i < history.entries().size(); ++i)
        project.add({history.entries()[i].name, history.entries()[i].steps, history.entries()[i].time});
    project.version = history.current();
    return project;
}

ProjectHistory projectHistoryOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress,
                                bool keepsContent, const Readers& readers) {
    if (opened->format != Format::Lancet) return {History(opened), {}, {}};
    Project project = projectOf(opened, progress, keepsContent);
    if (project.isApart) return {History(opened), std::move(project.view), std::move(project.inputs)};
    // What the reader has to say about the whole is about the version that was current.
    const auto first = std::make_shared<GraphModule>(*project.original);
    if (project.version == 0) first->warnings = opened->warnings;
    History history(first);
    for (const Project::Edit& edit : project.edits) {
        progress.check();
        auto model = History::edited(*history.model(), edit.steps, progress, readers);
        if (history.entries().size() == project.version) model->warnings = opened->warnings;
        history.push(edit.name, edit.steps, std::move(model), edit.time);
    }
    history.goTo(project.version);
    return {std::move(history), std::move(project.view), std::move(project.inputs)};
}

History historyOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress, bool keepsContent,
                  const Readers& readers) {
    return projectHistoryOf(opened, progress, keepsContent, readers).history;
}

} // namespace fx

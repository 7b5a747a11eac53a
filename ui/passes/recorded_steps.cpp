// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/recorded_steps.h"

#include "core/edit/kept_result.h"
#include "core/files/replaced_file.h"

namespace ui {

namespace {

/// The JSON of the result; its new tensors are in a file, if there are any.
std::string keep(const PassRecord& record, const std::string& folder, const fx::Progress& progress,
                 RecordedSteps& made) {
    progress.report("keeping the result", 0);
    fx::KeptResult kept = fx::keepResult(*record.before, *record.after, progress);
    if (!kept.fresh.entries.empty())
        made.file = fx::PastedFile::make(folder, [&](const std::string& path) {
            fx::ReplacedFile out(path);
            fx::writeSafetensors(out, kept.fresh, progress);
            out.commit();
        });
    return std::move(kept.json);
}

} // namespace

RecordedSteps stepsOf(const QByteArray& pipeline, const PassRecord& record, bool isComputed, const std::string& folder,
                      const fx::Progress& progress) {
    RecordedSteps made;
    std::string result;
    try {
        if (isComputed && record.after && record.changed()) result = keep(record, folder, progress, made);
    } catch (const fx::Error& error) { // the edit itself is as good as ever
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        made.problem = error.message();
    }
    made.steps.passes(pipeline.toStdString(), result, made.file ? made.file->path() : std::string());
    return made;
}

} // namespace ui

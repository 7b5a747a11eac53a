// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/kept_result.h"

#include "core/edit/kept_result.h"
#include "core/files/replaced_file.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace ui {

namespace {

void keep(QJsonObject& step, const PassRecord& record, const std::string& folder, const fx::Progress& progress,
          RecordedSteps& made) {
    progress.report("keeping the result", 0);
    const fx::KeptResult kept = fx::keepResult(*record.before, *record.after, progress);
    step[QStringLiteral("result")] = QJsonDocument::fromJson(QByteArray::fromStdString(kept.json)).object();
    if (kept.fresh.entries.empty()) return;
    made.file = fx::PastedFile::make(folder, [&](const std::string& path) {
        fx::ReplacedFile out(path);
        fx::writeSafetensors(out, kept.fresh, progress);
        out.commit();
    });
    step[QStringLiteral("file")] = QString::fromStdString(made.file->path());
}

} // namespace

RecordedSteps stepsOf(const QByteArray& pipeline, const PassRecord& record, bool isComputed, const std::string& folder,
                      const fx::Progress& progress) {
    RecordedSteps made;
    QJsonObject step = QJsonDocument::fromJson(pipeline).object();
    step[QStringLiteral("step")] = QStringLiteral("passes");
    try {
        if (isComputed && record.after && record.changed()) keep(step, record, folder, progress, made);
    } catch (const fx::Error& error) { // the edit itself is as good as ever
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        step.remove(QStringLiteral("result"));
        made.problem = error.message();
    }
    made.steps = QJsonDocument(QJsonArray{step}).toJson(QJsonDocument::Compact);
    return made;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_path.h"

#include "core/io/compilation/compilation.h"
#include "ui/shell/operations/failure_box.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/readable_width.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {

QString chosenPath(const QString& path) { return path.endsWith(u'/') ? path.chopped(1) : path; }

/// What is there and would be written over: a description keeps its weights in a file beside it.
QStringList replacedBy(const QString& path) {
    QStringList paths{path};
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        paths << path.chopped(5) + QStringLiteral(".safetensors");
    paths.removeIf([](const QString& each) { return !QFileInfo::exists(chosenPath(each)); });
    return paths;
}

/// "net.pt"; of a link "link.pt (a link to /models/net.pt)", for that is what is written over.
QString nameWithTarget(const QString& path) {
    if (!isLink(path)) return nameOfPath(path);
    return FileDialog::tr("%1 (a link to %2)").arg(nameOfPath(path), QFileInfo(chosenPath(path)).canonicalFilePath());
}

/// "net_2.pt", or with a higher number: beside the file, not there yet and not refused. The name itself when it may be
/// written.
QString nameNotRefused(const QString& path, const PathRefusal& refusal) {
    constexpr int kMost = 1000;
    if (!refusal || !refusal(path)) return path;
    const QFileInfo info(path);
    const QString ending = info.suffix().isEmpty() ? QString() : u'.' + info.suffix();
    for (int i = 2; i < kMost; ++i) {
        const QString other = QStringLiteral("%1/%2_%3%4").arg(info.path(), info.completeBaseName()).arg(i).arg(ending);
        if (!QFileInfo::exists(other) && !refusal(other)) return other;
    }
    return path;
}

bool mayReplace(QWidget* window, const QStringList& paths, const std::optional<ReplacedLoss>& loss) {
    QStringList names;
    for (const QString& path : paths) names << nameWithTarget(path);
    const QString question =
        names.size() == 1 ? FileDialog::tr("%1 already exists. Replace it?").arg(names.front())
                          : FileDialog::tr("%1 already exist. Replace them?").arg(names.join(FileDialog::tr(" and ")));
    QMessageBox box(QMessageBox::Warning, FileDialog::tr("Replace File"), question, QMessageBox::Cancel, window);
    box.setTextFormat(Qt::PlainText);
    QPushButton* replace = box.addButton(loss ? loss->button : FileDialog::tr("Replace"), QMessageBox::DestructiveRole);
    if (loss) box.setInformativeText(loss->about);
    box.setDefaultButton(QMessageBox::Cancel);
    setReadableWidth(box);
    box.exec();
    return box.clickedButton() == replace;
}

} // namespace

QString fileOnDisk(const QString& path) {
    const auto stage = fx::splitStagePath(path.toStdString());
    return stage ? QString::fromStdString(stage->first) : path;
}

bool isLink(const QString& path) { return QFileInfo(chosenPath(path)).isSymLink(); }

QString nameOfPath(const QString& path) {
    return QFileInfo(chosenPath(path)).fileName() + (path.endsWith(u'/') ? QStringLiteral("/") : QString());
}

bool isSamePath(const QString& a, const QString& b) {
    if (a.isEmpty() || b.isEmpty()) return false;
    const auto whole = [](const QString& path) {
        const QFileInfo info(chosenPath(path));
        const QFileInfo folder(info.absolutePath()); // the file may not be there yet, its folder is
        if (info.exists()) return info.canonicalFilePath();
        return folder.exists() ? folder.canonicalFilePath() + u'/' + info.fileName() : info.absoluteFilePath();
    };
    return whole(a) == whole(b);
}

QString withEnding(const QString& path, const SaveFormat& chosen, const std::vector<SaveFormat>& formats) {
    if (chosen.ending == QLatin1String("/")) return path.endsWith(u'/') ? path : path + u'/';
    const auto has = [&](const QString& ending) { return path.endsWith(ending, Qt::CaseInsensitive); };
    for (const SaveFormat& each : formats) {
        if (each.ending == QLatin1String(".pt") && (has(each.ending) || has(QStringLiteral(".pth")))) return path;
        if (has(each.ending)) return path.chopped(each.ending.size()) + each.ending; // it decides what is written
    }
    return path + chosen.ending;
}

QString askSavePath(QWidget* window, const QString& title, const QString& suggestion,
                    const std::vector<SaveFormat>& formats, const PathRefusal& refusal, const LossOfPath& loss) {
    QStringList filters;
    for (const SaveFormat& format : formats) filters << format.words;
    QString words = filters.front(), proposed = nameNotRefused(suggestion, refusal);
    while (true) {
        // The dialog itself would ask about the name as it was typed.
        const QString typed = FileDialog::saveAs(window, title, proposed, filters.join(QStringLiteral(";;")), words);
        if (typed.isEmpty()) return {};
        const auto chosen = static_cast<std::size_t>(std::max<qsizetype>(0, filters.indexOf(words)));
        const QString path = withEnding(typed, formats[chosen], formats);
        proposed = chosenPath(path);
        // Nobody is to agree to a replacement that is then refused.
        if (const auto error = refusal ? refusal(path) : std::nullopt) {
            tellFailure(window, FileDialog::tr("Could not save %1").arg(nameOfPath(path)), *error);
            proposed = nameNotRefused(proposed, refusal);
            continue;
        }
        const QStringList replaced = replacedBy(path);
        if (replaced.isEmpty() || mayReplace(window, replaced, loss ? loss(path) : std::nullopt)) return path;
    }
}

} // namespace ui

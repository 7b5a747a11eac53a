// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/save_path.h"

#include "ui/widgets/core_text.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/readable_width.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QWidget>

#include <algorithm>

namespace ui {

namespace {

QString chosenPath(const QString& path) { return path.endsWith(u'/') ? path.chopped(1) : path; }

/// What is there and would be written over.
QStringList replacedBy(const QString& path, const std::vector<SaveFormat>& formats) {
    QStringList paths{path};
    for (const SaveFormat& each : formats)
        if (each.hasWeightsBeside && path.endsWith(each.ending, Qt::CaseInsensitive))
            paths << path.chopped(each.ending.size()) + QStringLiteral(".safetensors");
    paths.removeIf([](const QString& each) { return !QFileInfo::exists(chosenPath(each)); });
    return paths;
}

/// The path in the nearest folder at or above its own that is there.
QString inFolderThatIsThere(const QString& path) {
    const QFileInfo file(path);
    QString folder = file.absolutePath();
    while (!QFileInfo(folder).isDir() && folder != QFileInfo(folder).path()) folder = QFileInfo(folder).path();
    return QDir(folder).filePath(file.fileName());
}

/// Of a link what it leads to, for that is what is written over. `own`: a folder that needs no naming.
QString replaceQuestion(const QStringList& paths, const QString& own) {
    const auto target = [](const QString& path) { return QFileInfo(chosenPath(path)).canonicalFilePath(); };
    if (paths.size() == 1 && isLink(paths.front()))
        return FileDialog::tr("%1 is a link to %2, which already exists. Replace that file?")
            .arg(nameOfPath(paths.front()), target(paths.front()));
    QStringList names;
    for (const QString& path : paths)
        names << (isLink(path) ? FileDialog::tr("%1 (a link to %2)").arg(nameOfPath(path), target(path))
                               : nameOfPath(path));
    const QString all = names.join(FileDialog::tr(" and ")),
                  folder = QFileInfo(chosenPath(paths.front())).absolutePath();
    if (!isSamePath(folder, own))
        return (names.size() == 1 ? FileDialog::tr("%1 already exists in %2. Replace it?")
                                  : FileDialog::tr("%1 already exist in %2. Replace them?"))
            .arg(all, visible(folder));
    return (names.size() == 1 ? FileDialog::tr("%1 already exists. Replace it?")
                              : FileDialog::tr("%1 already exist. Replace them?"))
        .arg(all);
}

/// "net_2.pt", or with a higher number: beside the file, not there yet and not refused. The name itself when it may be
/// written.
QString nameNotRefused(const QString& path, const PathRefusal& refusal) {
    constexpr int kMost = 1000;
    if (!refusal(path)) return path;
    const QFileInfo info(path);
    const QString ending = info.suffix().isEmpty() ? QString() : u'.' + info.suffix();
    for (int i = 2; i < kMost; ++i) {
        const QString other = QStringLiteral("%1/%2_%3%4").arg(info.path(), info.completeBaseName()).arg(i).arg(ending);
        if (!QFileInfo::exists(other) && !refusal(other)) return other;
    }
    return path;
}

bool mayReplace(QWidget* window, const QString& question, const std::optional<ReplacedLoss>& loss) {
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

PathGuard::PathGuard(QWidget* window, PathRefusal refusal) : QObject(window), m_refusal(std::move(refusal)) {}

std::optional<fx::Error> PathGuard::refusal(const QWidget* widget, const QString& path) {
    for (const QObject* each = widget; each; each = each->parent())
        for (const QObject* child : each->children())
            if (const auto* guard = dynamic_cast<const PathGuard*>(child)) return guard->m_refusal(path);
    return std::nullopt;
}

bool isLink(const QString& path) { return QFileInfo(chosenPath(path)).isSymLink(); }

QString nameOfPath(const QString& path) {
    return visible(QFileInfo(chosenPath(path)).fileName()) + (path.endsWith(u'/') ? QStringLiteral("/") : QString());
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

namespace {
/// The format that the ending of a path names; null if it names none of them.
const SaveFormat* namedFormat(const QString& path, const std::vector<SaveFormat>& formats) {
    const auto has = [&](const QString& ending) { return path.endsWith(ending, Qt::CaseInsensitive); };
    for (const SaveFormat& each : formats)
        if (has(each.ending) || (each.ending == QLatin1String(".pt") && has(QStringLiteral(".pth")))) return &each;
    return nullptr;
}
} // namespace

QString withEnding(const QString& path, const SaveFormat& chosen, const std::vector<SaveFormat>& formats) {
    const SaveFormat* const named = namedFormat(path, formats);
    if (chosen.ending == QLatin1String("/") && (!named || QFileInfo(path).isDir()))
        return path.endsWith(u'/') ? path : path + u'/';
    if (!named) return path + chosen.ending;
    if (named->ending == QLatin1String(".pt")) return path;    // also .pth
    return path.chopped(named->ending.size()) + named->ending; // it decides what is written
}

std::optional<fx::Error> otherFormat(const QString& path, const std::vector<SaveFormat>& formats) {
    static constexpr const char* kOfModels[] = {
        ".bin", ".ckpt", ".gguf", ".h5", ".json",        ".lancet", ".mlmodel", ".onnx", ".pb", ".pt",
        ".pt2", ".pth",  ".pte",  ".py", ".safetensors", ".tar",    ".tflite",  ".ts",   ".zip"};
    if (namedFormat(path, formats)) return std::nullopt;
    const auto* const other = std::ranges::find_if(
        kOfModels, [&](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); });
    if (other == std::end(kOfModels)) return std::nullopt;
    QStringList endings;
    for (const SaveFormat& each : formats) endings << each.ending;
    return fx::Error(fx::ErrorKind::Refused,
                     fx::Message("window.other_format",
                                 {{"ending", *other}, {"endings", endings.join(QStringLiteral(", ")).toStdString()}}));
}

QString askSavePath(QWidget* window, const QString& title, const QString& suggestion,
                    const std::vector<SaveFormat>& formats, const PathRefusal& own, const LossOfPath& loss) {
    const PathRefusal refusal = own ? own : [window](const QString& path) { return PathGuard::refusal(window, path); };
    QStringList filters;
    for (const SaveFormat& format : formats) filters << format.words;
    QString words = filters.front();
    const QString wanted = QDir(FileDialog::startFolder()).absoluteFilePath(suggestion),
                  home = QFileInfo(wanted).absolutePath();
    QString proposed = nameNotRefused(inFolderThatIsThere(wanted), refusal);
    while (true) {
        // The dialog itself would ask about the name as it was typed.
        const QString typed = FileDialog::saveAs(window, title, proposed, filters.join(QStringLiteral(";;")), words);
        if (typed.isEmpty()) return {};
        if (const auto error = otherFormat(typed, formats)) {
            tellFailure(window, FileDialog::tr("Could not save %1").arg(nameOfPath(typed)), *error);
            proposed = typed.left(typed.lastIndexOf(u'.'));
            continue;
        }
        const auto chosen = static_cast<std::size_t>(std::max<qsizetype>(0, filters.indexOf(words)));
        const QString path = withEnding(typed, formats[chosen], formats);
        proposed = chosenPath(path);
        // Nobody is to agree to a replacement that is then refused.
        if (const auto error = refusal(path)) {
            tellFailure(window, FileDialog::tr("Could not save %1").arg(nameOfPath(path)), *error);
            proposed = nameNotRefused(proposed, refusal);
            continue;
        }
        const QStringList replaced = replacedBy(path, formats);
        if (replaced.isEmpty() || mayReplace(window, replaceQuestion(replaced, home), loss ? loss(path) : std::nullopt))
            return path;
    }
}

QString askSaveFolder(QWidget* window, const QString& title, const QString& start,
                      const std::function<QStringList(const QString& folder)>& written) {
    QString proposed = start;
    while (true) {
        const QString folder = FileDialog::saveFolder(window, title, proposed);
        if (folder.isEmpty()) return {};
        proposed = folder;
        const QStringList files = written(folder);
        std::optional<fx::Error> error;
        QStringList names;
        for (const QString& file : files) {
            if (!error) error = PathGuard::refusal(window, file);
            names << nameOfPath(file);
        }
        if (error) {
            tellFailure(window, FileDialog::tr("Could not save to %1").arg(nameOfPath(folder)), *error);
            continue;
        }
        if (files.isEmpty()) return folder;
        const QString question = FileDialog::tr("%1 already contains %2. Replace these files?");
        const bool isYes = mayReplace(window, question.arg(visible(folder), names.join(QStringLiteral(", "))), {});
        return isYes ? folder : QString();
    }
}

} // namespace ui

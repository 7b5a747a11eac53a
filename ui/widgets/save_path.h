// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QObject>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QWidget;

namespace ui {

/// A file format to save in.
struct SaveFormat {
    QString ending, words;         ///< extension, or "/" for a folder; filter of the file dialog
    bool hasWeightsBeside = false; ///< writes a second file: net.safetensors beside net.json
};

/// Appends the extension of `chosen`, unless `path` already has that of a format. An existing folder is meant as one.
QString withEnding(const QString& path, const SaveFormat& chosen, const std::vector<SaveFormat>& formats);

/// Returns the error for a path that ends as a model in none of the formats does, such as "net.onnx": nobody expects
/// TorchScript in "net.pt2.ts".
std::optional<fx::Error> otherFormat(const QString& path, const std::vector<SaveFormat>& formats);

/// Returns the reason why a file may not be written; nullopt if it may.
using PathRefusal = std::function<std::optional<fx::Error>(const QString& path)>;

/// Protects files that nothing in a window may overwrite, such as those open in its tabs. Every dialog for a file to
/// write consults it.
class PathGuard final : public QObject {
public:
    PathGuard(QWidget* window, PathRefusal refusal); ///< `window` becomes the parent.
    /// Asks the guard of the window around `widget`. Returns nullopt if there is no guard.
    static std::optional<fx::Error> refusal(const QWidget* widget, const QString& path);

private:
    PathRefusal m_refusal;
};

/// Additional texts of the question whether to replace a file with irrecoverable content.
struct ReplacedLoss {
    QString about, button; ///< explanation, and text of the Replace button
};
/// Returns the texts for an existing file; nullopt if it needs none.
using LossOfPath = std::function<std::optional<ReplacedLoss>(const QString& path)>;

/// Asks for a file to write; the first format is preselected. Starts in the folder of the suggestion, or in the nearest
/// existing one above it; the question whether to replace a file names any other folder than that of the suggestion. If
/// `refusal` (by default the PathGuard of the window) refuses a name, reports that and asks again with another
/// proposal. Adds the extension before it asks whether to replace a file. Returns an empty path if the user cancels.
QString askSavePath(QWidget* window, const QString& title, const QString& suggestion,
                    const std::vector<SaveFormat>& formats, const PathRefusal& refusal = {},
                    const LossOfPath& loss = {});
/// Asks for a folder to write to. `written` returns the files that would be replaced in it; the PathGuard checks each.
/// Returns an empty path if the user cancels.
QString askSaveFolder(QWidget* window, const QString& title, const QString& start,
                      const std::function<QStringList(const QString& folder)>& written);

/// True if both paths name the same file or folder, even if it does not exist.
bool isSamePath(const QString& a, const QString& b);
/// True if the path itself is a symbolic link; its parent folders do not count.
bool isLink(const QString& path);
/// Returns the last name of a path: "net.pt", for a folder "net/".
QString nameOfPath(const QString& path);

} // namespace ui

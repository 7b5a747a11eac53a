// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QWidget;

namespace ui {

/// What a file can be written as: its extension, "/" for a folder, and the words of the file dialog.
struct SaveFormat {
    QString ending, words;
};

/// `path` with the extension of `chosen`, unless it already has one that some format has.
QString withEnding(const QString& path, const SaveFormat& chosen, const std::vector<SaveFormat>& formats);

/// Why a file may not be written; nothing: it may.
using PathRefusal = std::function<std::optional<fx::Error>(const QString& path)>;

/// What else the question whether to replace a file says: that what is in it cannot be had back.
struct ReplacedLoss {
    QString about, button;
};
/// Of a file that is there; nothing: replacing it is nothing special.
using LossOfPath = std::function<std::optional<ReplacedLoss>(const QString& path)>;

/// Asks for a file to write; the first format is the one chosen first. A name that `refusal` refuses is asked for
/// again, with another one proposed. The extension is there before it asks whether a file is to be replaced. Empty:
/// none.
QString askSavePath(QWidget* window, const QString& title, const QString& suggestion,
                    const std::vector<SaveFormat>& formats, const PathRefusal& refusal = {},
                    const LossOfPath& loss = {});

/// The path names the same file or folder as the other one, whether it exists or not.
bool isSamePath(const QString& a, const QString& b);
/// The file that keeps a model: `path`, or the dump of which it is a stage.
QString fileOnDisk(const QString& path);
/// The path itself is a symbolic link; folders on the way to it do not count.
bool isLink(const QString& path);
/// "net.pt", of a folder "net/".
QString nameOfPath(const QString& path);

} // namespace ui

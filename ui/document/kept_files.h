// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStandardPaths>

#include <string>

namespace ui {

/// Returns the folder of files that the program creates for steps: pasted nodes and results of the worker. Files that
/// no process uses and no journal names are removed (fx::PastedFile).
inline std::string keptFilesFolder() {
    return (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/lancet/pasted"))
        .toStdString();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"
#include "ui/document/document.h"

namespace ui {

/// A version on its way to a file, as it was when saving was asked for; for a project also what led to it, how it is
/// looked at and what it is run with. Values and snapshots: it can be written on any thread.
struct SaveRequest {
    QString path;
    std::shared_ptr<const fx::GraphModule> version;
    std::vector<std::shared_ptr<fx::Journal>> journals; ///< of all documents: the file may be the base of their edits
    fx::History history;
    std::string view, inputs;
};

struct SavedFile {
    fx::SaveReport report;
    std::optional<fx::ModelIdentity> identity; ///< what is on disk now, as far as that can be told
};

/// Writes the file, reads it back and compares. The ending of the path decides, as on the command line; without a known
/// one it is a file for torch.load; a worker compiles TorchScript. Throws fx::Error; then the file is what it was.
SavedFile writeSaved(const SaveRequest& request, const fx::Progress& progress);

/// What is at a path now; nothing when there is no model.
std::optional<fx::ModelIdentity> identityAt(const QString& path, const std::string& modelName);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/worker_client.h"
#include "ui/document/document.h"

namespace ui {

/// A version to be saved, as it was when saving was requested; for a project also its history, view and inputs. It
/// consists of values and snapshots, so any thread can write it.
struct SaveRequest {
    QString path;                                   ///< the extension selects the format
    std::shared_ptr<const fx::GraphModule> version; ///< the model to save
    /// The journals of all documents: the file may be the base of their edits.
    std::vector<std::shared_ptr<fx::Journal>> journals;
    fx::History history;      ///< for projects
    std::string view, inputs; ///< for projects
    /// Guessed inputs with which the model has run; empty: unknown, or `inputs` are known.
    fx::InputDescription tried = {};
    fx::remote::WorkerOptions worker = {}; ///< for scripts and constants, on this machine
};

/// The result of saving.
struct SavedFile {
    fx::SaveReport report;                     ///< warnings and the result of comparing
    std::optional<fx::ModelIdentity> identity; ///< the content on disk; nullopt if it could not be determined
};

/// Writes the file, reads it back and compares. The extension selects the format, as on the command line; without a
/// known extension it writes a file for torch.load. A worker compiles TorchScript. Throws fx::Error and then leaves the
/// file unchanged.
SavedFile writeSaved(const SaveRequest& request, const fx::Progress& progress);

/// Returns the identity of the content at `path`; nullopt if there is no model.
std::optional<fx::ModelIdentity> identityAt(const QString& path, const std::string& modelName);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/file_kind.h"
#include "core/io/open_options.h"
#include "core/module/graph_module.h"

#include <memory>
#include <optional>
#include <string>

namespace fx {

/// A MODEL, recognised by its content (docs/cli/models.md).
struct ModelFile {
    FileKind kind = FileKind::Other;
    std::string path;                          ///< the file or folder
    std::string part = {};                     ///< "Net" of "net.py:Net", "encode" of "net.pt2#encode"; or empty
    std::shared_ptr<const DataFile> file = {}; ///< null for folders
    std::optional<ZipArchive> archive = {};    ///< if the file is one
};
/// Recognises a MODEL. `keepsContent` is as in `OpenOptions`. Throws Error{File} if it cannot be read.
ModelFile findModel(const std::string& model, bool keepsContent = false);
/// Returns the kind of a MODEL; Other if it cannot be read.
FileKind kindOfModel(const std::string& model);

/// Opens any supported MODEL. Runs no code from the file; the worker reads TorchScript (core/torchscript). Throws
/// Error{File} with the kind of file, the position of the problem, and a hint.
std::shared_ptr<GraphModule> openModel(const ModelFile& found, const OpenOptions& options,
                                       const Progress& progress = {});
/// Finds and opens it.
std::shared_ptr<GraphModule> openModel(const std::string& path, const OpenOptions& options = {},
                                       const Progress& progress = {});

} // namespace fx

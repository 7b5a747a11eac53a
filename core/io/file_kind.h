// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

namespace fx {

class TorchFile;

/// What a file is, judged by its content.
enum class FileKind : std::uint8_t {
    TorchSave,   ///< zip with data.pkl that torch.save wrote; what is in it only its pickle says
    Pt2,         ///< torch.export.save
    TorchScript, ///< torch.jit.save
    Project,     ///< Lancet's own project
    IrJson,      ///< Lancet's graph description
    Other,       ///< anything else: `describeOther` says what
};

/// `archive` is set when the file is a zip archive. Reads a few bytes.
FileKind fileKind(const DataFile& file, const ZipArchive* archive);

/// Whether there is a file at `path` that torch.jit.save wrote. Such files are shown and run by LibTorch, in the
/// worker.
bool isTorchScript(const std::string& path);

/// The error for a file of kind Other: what it is, and what to do.
Error describeOther(const DataFile& file, const ZipArchive* archive);

/// The error for a torch.save file whose pickle is no GraphModule: a state dict, a whole module, a tensor...
Error describePickle(const TorchFile& file);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

namespace fx {

class TorchFile;

/// What a file is, judged by its content.
enum class FileKind : std::uint8_t {
    TorchSave,   ///< zip with data.pkl, by torch.save; only its pickle tells the content
    Pt2,         ///< torch.export.save
    TorchScript, ///< torch.jit.save
    Project,     ///< Lancet's own project
    IrJson,      ///< Lancet's graph description
    CompileText, ///< readable text of torch.compile or print_readable()
    Other,       ///< anything else, see `describeOther`
};

/// `archive` is null unless the file is a zip archive. Reads a few bytes.
FileKind fileKind(const DataFile& file, const ZipArchive* archive);

/// Whether the file at `path` was written by torch.jit.save. LibTorch shows and runs such files in the worker.
bool isTorchScript(const std::string& path);

/// The error for a file of kind Other, with a hint.
Error describeOther(const DataFile& file, const ZipArchive* archive);

/// The error for a torch.save file whose pickle is not a GraphModule: a state dict, a whole module, a tensor...
Error describePickle(const TorchFile& file);

} // namespace fx

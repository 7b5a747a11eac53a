// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

namespace fx {

class TorchFile;

/// The kind of a file or folder, judged by its content.
enum class FileKind : std::uint8_t {
    TorchSave,   ///< written by torch.save, in either form; only its pickle shows the content
    Pt2,         ///< torch.export.save
    TorchScript, ///< torch.jit.save
    Project,     ///< Lancet's own project
    IrJson,      ///< Lancet's graph description
    CompileText, ///< readable text of torch.compile or print_readable()
    Recipe,      ///< a recorded list of steps
    Source,      ///< Python, known by its name; only `findModel` returns this and the next two
    Dump,        ///< a log or folder of torch.compile
    Folder,      ///< any other folder
    Other,       ///< any other file, see `describeOther`
};

/// Determines the kind from a few bytes. `archive` is null unless the file is a zip archive.
FileKind fileKind(const DataFile& file, const ZipArchive* archive);

/// Returns true if torch.jit.save wrote the file at `path`. LibTorch describes and runs such files in the worker.
bool isTorchScript(const std::string& path);

/// Returns true if models in files of this kind can refer to TorchScript files that they call, which are known only
/// after opening them.
inline bool mayCallFiles(FileKind kind) { return kind == FileKind::IrJson || kind == FileKind::Project; }

/// Returns the error for a file of which `kind` says what it is, and what to do with it.
Error notAModel(const std::string& path, const Message& kind);

/// Returns the error for a file of kind Other, with a hint.
Error describeOther(const DataFile& file, const ZipArchive* archive);

/// Returns the error for a torch.save file whose pickle is not a GraphModule: a state dict, a whole module, a tensor...
Error describePickle(const TorchFile& file);

} // namespace fx

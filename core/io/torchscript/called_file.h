// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

/// TorchScript files that a model calls as a whole (`isScriptFile`) or takes objects from (`isFileObject`): what they
/// held when the model was made counts.
///
/// In memory, a module has the absolute path of its file. A saved model has its path from the folder of the saved file,
/// too, so that both can be moved together:
///
///     {"path": "/home/me/nets/net.ts", "digest": "…", "relative_path": "net.ts"}
namespace fx::script {

/// Tells the content of an archive from others: 64 hexadecimal digits, from the names, sizes and checksums of its
/// members, so that only the directory is read.
std::string contentDigest(const ZipArchive& archive);

/// Compares the file that a module calls with the digest that was taken when the module was made; modules of older
/// versions have none. Throws Error{File} if the file is gone, no archive, or has changed.
void requireCalledFile(const Module& module);

/// Whether the model calls this file as a whole, so that replacing it would change the model.
bool callsFile(const GraphModule& model, const std::string& path);

/// The absolute path of a file, in the words of `path` as far as possible: links stay links.
std::string absolutePath(const std::string& path);

/// The model as it is written to `file`: its modules have the paths of what they call from the folder of that file,
/// too.
GraphModule withRelativePaths(const GraphModule& model, const std::string& file);

/// Finds what a model that was read from `file` calls: at the relative path, else at the absolute one; a file with the
/// wanted content comes first. Without any, the path stays, and running the model reports it.
void findCalledFiles(GraphModule& model, const std::string& file);

} // namespace fx::script

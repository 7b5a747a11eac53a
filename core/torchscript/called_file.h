// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

/// TorchScript files that a model calls as a whole (`isScriptFile`) or takes objects from (`isFileObject`). The digest
/// identifies their content at the time the model was created.
///
/// In memory, a module stores the absolute path of its file. A saved model also stores the path relative to the folder
/// of the saved file, so that both can be moved together:
///
///     {"path": "/home/me/nets/net.ts", "digest": "…", "relative_path": "net.ts"}
namespace fx::script {

/// Returns 64 hexadecimal digits that identify the content of an archive, computed from the names, sizes and checksums
/// of its members, so that only the directory is read.
std::string contentDigest(const ZipArchive& archive);

/// Compares the file that a module calls with the digest in the module. Throws Error{File} if the file is missing, is
/// not an archive, or has changed, and if the module has no digest: an untrusted description could name any file.
void requireCalledFile(const Module& module);

/// Returns true if the model calls this file as a whole, so that replacing it would change the model.
bool callsFile(const GraphModule& model, const std::string& path);

/// Returns the absolute path of a file without resolving links.
std::string absolutePath(const std::string& path);

/// Returns the model with paths relative to the folder of `file`, for writing it to `file`.
GraphModule withRelativePaths(const GraphModule& model, const std::string& file);

/// Finds the files that a model read from `file` calls: at the relative path, else at the absolute one, preferring a
/// file with the wanted content. If neither exists, keeps the path, and running the model reports it. A module without
/// a digest gets the digest of a file in the folder of `file` or below, and of no other file.
void findCalledFiles(GraphModule& model, const std::string& file);

} // namespace fx::script

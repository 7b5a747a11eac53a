// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

/// TorchScript files that a model calls as a whole (`isScriptFile`): what they held when the model was made counts.
namespace fx::script {

/// Tells the content of an archive from others: 64 hexadecimal digits, from the names, sizes and checksums of its
/// members, so that only the directory is read.
std::string contentDigest(const ZipArchive& archive);

/// Compares the file that a module calls with the digest that was taken when the module was made; modules of older
/// versions have none. Throws Error{File} if the file is gone, no archive, or has changed.
void requireCalledFile(const Module& module);

/// Whether the model calls this file as a whole, so that replacing it would change the model.
bool callsFile(const GraphModule& model, const std::string& path);

} // namespace fx::script

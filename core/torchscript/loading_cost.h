// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"

namespace fx::script {

/// Throws Error{File} for a file from which LibTorch would create much more data than it contains. LibTorch inflates
/// the members of a TorchScript file into memory and creates an object for each opcode of its pickles.
///
/// Limits, checked before anything is inflated: beyond 16 MB, compressed members other than code may unpack to at most
/// 8 times their size (`torch.jit.save` compresses only code). Pickles may contain a million objects, plus one for
/// every 8 bytes of the file, but only a tenth as many modules, because LibTorch visits modules by path.
void requireModestCost(const ZipArchive& archive);

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

namespace fx {

class TorchFile;

/// Opens a GraphModule of torch.save. Throws Error{File}.
std::shared_ptr<GraphModule> openTorchSave(const std::shared_ptr<TorchFile>& file, const Progress& progress);
/// Recognises and opens a model of torch.save or torch.export.save in an open archive. Throws Error{File}.
std::shared_ptr<GraphModule> openArchive(const ZipArchive& archive, const OpenOptions& options,
                                         const Progress& progress);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

namespace fx {

/// The TorchScript file that a model is, with all methods, attributes and extra files: the model is its `forward` with
/// all inputs, and graph and modules are those that were read. Null for other models.
const ZipArchive* copiedScript(const GraphModule& model, const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

namespace fx {

/// Returns the TorchScript archive that `model` equals, with all methods, attributes and extra files. Returns null
/// unless the model is the unchanged import of `forward` with all inputs.
const ZipArchive* copiedScript(const GraphModule& model, const Progress& progress = {});

} // namespace fx

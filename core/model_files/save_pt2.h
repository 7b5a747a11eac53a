// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a model from a .pt2 file for `torch.export.load`. `verify` reads the file back and compares the graph, and
/// tensors bit for bit. Throws Error{Refused}; the old file is then unchanged, unless the comparison fails.
SaveReport savePt2(const GraphModule& model, const std::string& path, bool verify, const Progress& progress = {});

} // namespace fx

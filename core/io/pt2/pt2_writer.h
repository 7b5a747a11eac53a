// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// Writes a model that came from a .pt2 file for `torch.export.load`.
///
/// Everything else of the archive (other models, sample inputs, unknown keys and records) is copied as it is, and so is
/// the text of every node that was not edited. Graph, signature, value tables, configurations and records are kept in
/// step; tensors that the graph reads by get_attr become inputs of it. Weights are streamed. Returns what PyTorch will
/// see otherwise than shown. Throws Error{Refused} for what an exported program cannot be: graphs that call modules or
/// methods or Python functions, models that did not come from a .pt2 file.
Warnings writePt2(const GraphModule& model, const std::string& path, const Progress& progress = {});

} // namespace fx

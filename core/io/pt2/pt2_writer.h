// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// Returns the graph as the file of a model from a .pt2 describes it: the model before all edits. An empty graph for
/// other models.
Graph pt2GraphAsRead(const GraphModule& model, const Progress& progress = {});

/// Writes a model that came from a .pt2 file, for `torch.export.load`.
///
/// Copies the rest of the archive (other models, sample inputs, unknown keys and records) and the text of unedited
/// nodes. Graph, signature, value tables, configurations and records stay consistent; tensors read by get_attr become
/// inputs. Weights are streamed. Returns warnings about differences that PyTorch will see. Throws Error{Refused} for
/// models that cannot be exported programs: graphs that call modules, methods or Python functions, and models that did
/// not come from a .pt2 file.
Warnings writePt2(const GraphModule& model, const std::string& path, const Progress& progress = {});

} // namespace fx

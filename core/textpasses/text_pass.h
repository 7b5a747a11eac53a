// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/passes/manager/pass_manager.h"
#include "core/passes/manager/pass_pipeline.h"

#include <optional>
#include <string>

namespace fx {

/// Creates a pass from Python code written for torch.fx, `FILE.py[:NAME]`: a function of the GraphModule, or a class
/// derived from `PassBase` or `Transformer`. Without a name, uses the only such function or class in the file.
/// Lancet's interpreter executes it on nodes, graphs and modules of the model; no Python runs. `text` is the content
/// of the file, which is then not read. `readers` rehearse the pass first.
///
/// A `PassResult` reports whether the function changed anything; for other results the graphs are compared. With an
/// instrument, each node of `for node in graph.nodes` at which the graph changes is a rewrite, and the rest of the
/// pass is one more; otherwise the whole pass is one. With a selection, `graph.nodes` has only the selected nodes.
/// Running the pass throws Error{Refused} with file, line and reason where Python would raise, for unsupported code,
/// and for endless loops; Error{File} for invalid Python.
PassRequest textPass(const std::string& path, std::optional<std::string> text = {}, const Readers& readers = {});
/// Returns a function that creates the Python passes of a pipeline.
OwnPassReader textPasses(const Readers& readers = {});

/// Creates a check from Python code: a function of the GraphModule that raises if the model is invalid. It receives a
/// copy of the model.
ModelCheck textCheck(const std::string& path, const Readers& readers = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"

#include <optional>
#include <string>

namespace fx {

/// A pass written in Python for torch.fx, `FILE.py[:NAME]`: a function of the GraphModule, or a class derived from
/// `PassBase` or `Transformer`. No Python runs: the interpreter of sources follows it, on nodes, graphs and modules of
/// the model. Without a name, the file's only such function or class is taken.
///
/// A function that returns a `PassResult` says whether it changed anything; for others that is compared. While
/// something watches, each node of `for node in graph.nodes` at which the graph changes is a rewrite, and the rest of
/// the pass is one; else the whole pass is. With a selection, `graph.nodes` has only its nodes. `text`: the content of
/// the file, which is not read then. Running it throws Error{Refused} with file, line and reason for what Python would
/// raise, for what cannot be followed, and for endless loops; Error{File} for text that is not Python.
PassRequest textPass(const std::string& path, std::optional<std::string> text = {});
/// The same from a pipeline: `text` is a string, or absent.
PassRequest textPassOf(const std::string& path, const JsonValue& text);

/// A check in the same form: a function of the GraphModule that raises if the model is not as it should be. It sees a
/// copy of the model.
ModelCheck textCheck(const std::string& path);

} // namespace fx

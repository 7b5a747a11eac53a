// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// The code of a graph in a saved file: the text of `forward` and its imports.
struct SavedCode {
    std::string imports, text;
};
/// Generates code: `generatePython` of core/codegen.
using GenerateCode = std::function<SavedCode(const GraphModule&)>;

/// Returns the code from which the model was loaded, if its graph is unchanged.
std::optional<SavedCode> keptCode(const GraphModule& model);
/// The same for a GraphModule inside `model`.
std::optional<SavedCode> keptCode(const GraphModule& model, const Module& nested);

/// Returns true if the model's file has no object for the module, because it is new or comes from another file.
bool isNewIn(const GraphModule& model, const Module& module);

/// Returns true if the file stores the class name of a GraphModule, which then has it as an attribute after loading.
/// torch.save does not, so loading names all of them GraphModule; new ones at the root keep their name.
bool savesClassName(const GraphModule& model, const Module& module);

/// Returns the tracer class that the file names for a GraphModule with new code; empty for none. Omits classes that
/// PyTorch cannot construct, because loading would fail. `isNew`: the file has no such object yet.
std::string savedTracer(const GraphModule& model, bool isNew);

/// Writes a model like `torch.save(graph_module)`, for `torch.load(path, weights_only=False)`.
///
/// A model from such a file keeps everything: classes, hooks, unknown attributes, shared tensors. An unchanged graph
/// keeps its code. Weights are streamed. Throws Error{Refused} with the tensor or module that cannot be written.
Warnings writeGraphModule(const GraphModule& model, const std::string& path, const GenerateCode& generate,
                          const Progress& progress = {});

/// Throws the Error{Refused} that `writeGraphModule` would throw for the model. Writes nothing and reads no weights.
void checkGraphModule(const GraphModule& model, const GenerateCode& generate, const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// The code of a graph in a saved file: the text of `forward` and its imports. `generatePython` of
/// core/codegen.
struct SavedCode {
    std::string imports, text;
};
using GenerateCode = std::function<SavedCode(const GraphModule&)>;

/// The code that the model was loaded from, if its graph is unchanged.
std::optional<SavedCode> keptCode(const GraphModule& model);
/// The same for a GraphModule inside `model`.
std::optional<SavedCode> keptCode(const GraphModule& model, const Module& nested);

/// Whether the file that the model is from has no object for the module: it was made, or comes from another file.
bool isNewIn(const GraphModule& model, const Module& module);

/// Whether the file stores the class name of a GraphModule, which then has it as an attribute after loading. torch.save
/// does not, so all are called GraphModule after loading; new ones at the root keep their name.
bool savesClassName(const GraphModule& model, const Module& module);

/// The tracer class that a file names for a GraphModule whose code is made anew; empty: none. One that PyTorch cannot
/// make would keep the file from loading. `isNew`: the file has no such object yet.
std::string savedTracer(const GraphModule& model, bool isNew);

/// Writes a model as `torch.save(graph_module)` does, for `torch.load(path, weights_only=False)`.
///
/// A model from such a file keeps everything: classes, hooks, unknown attributes, shared tensors. An unchanged graph
/// keeps its code. Weights are streamed. Throws Error{Refused} with the tensor or module that cannot be written.
Warnings writeGraphModule(const GraphModule& model, const std::string& path, const GenerateCode& generate,
                          const Progress& progress = {});

/// Throws the Error{Refused} that `writeGraphModule` throws for the model; writes nothing and reads no weights.
void checkGraphModule(const GraphModule& model, const GenerateCode& generate, const Progress& progress = {});

} // namespace fx

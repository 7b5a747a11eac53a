// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/safetensors/safetensors.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string>

namespace fx {

/// Lancet's own readable description of a model: NAME.json holds the graph and the module tree, NAME.safetensors beside
/// it the weights. docs/ir-format.md describes it; it is meant to be written by hand, too.

/// Writes `module` to `path` (ends in ".json") and its tensors beside it; both replace their targets only when both are
/// complete. Reading the files gives an equal model: names, order of users, name counters, arguments, metadata, shared
/// modules and tensors. Of the original file's own data (`origin`), only the signature of an exported program is kept.
/// Throws Error{Refused}, Error{File}, Error{Cancelled}.
void writeIrJson(const GraphModule& module, const std::string& path, const Progress& progress = {});

/// The .safetensors file with the weights of the description at `path`: beside NAME.json, NAME.safetensors.
std::string weightsBeside(const std::string& path);

/// The file at the place of the .safetensors that `writeIrJson` would replace although it holds no weights; empty if
/// nothing would be lost.
std::string foreignWeights(const std::string& path, const Progress& progress = {});

/// Reads `path` and, if it names tensors, the .safetensors file beside it, whose storages stay in the file. Throws
/// Error{File} with line, column and JSON path.
std::shared_ptr<GraphModule> readIrJson(const std::string& path, const Progress& progress = {},
                                        bool keepsContent = false);

/// The same as text and tensors, for other containers.
struct IrDescription {
    std::string text;
    SafetensorsFile weights;
};
IrDescription describeAsIr(const GraphModule& module, const Progress& progress = {});
/// `path` is used in errors and stored in the module.
std::shared_ptr<GraphModule> readIrDescription(const IrDescription& description, const std::string& path,
                                               const Progress& progress = {});

} // namespace fx

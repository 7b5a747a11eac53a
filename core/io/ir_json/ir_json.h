// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/safetensors/safetensors.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string>
#include <string_view>

namespace fx {

/// Lancet's readable description of a model: NAME.json holds the graph and the module tree, NAME.safetensors beside it
/// the weights. docs/ir-format.md defines the format, which can also be written by hand.

/// An argument of the warnings that a description contains: its value is "file". Their texts are the file's own.
inline constexpr std::string_view kSaidBy = "said_by";

/// Writes `module` to `path` (ends in ".json") and its tensors beside it; replaces the targets only when both files are
/// complete. Reading the files gives an equal model: names, order of users, name counters, arguments, metadata, shared
/// modules and tensors. Keeps only the signature of an exported program from the data of the original file (`origin`).
/// Throws Error{Refused}, Error{File}, Error{Cancelled}.
void writeIrJson(const GraphModule& module, const std::string& path, const Progress& progress = {});

/// Returns the path of the weights of the description at `path`: NAME.safetensors for NAME.json.
std::string weightsBeside(const std::string& path);

/// Returns the .safetensors that `writeIrJson` would replace although it does not belong to a description: Lancet did
/// not write it for one, and the description at `path`, if any, does not use all of its tensors. Empty if nothing would
/// be lost.
std::string foreignWeights(const std::string& path, const Progress& progress = {});

/// Reads `path` and, if it names tensors, the .safetensors file beside it, whose storages stay in the file. Throws
/// Error{File} with line, column and JSON path.
std::shared_ptr<GraphModule> readIrJson(const std::string& path, const Progress& progress = {},
                                        bool keepsContent = false);

/// The content of both files, for other containers.
struct IrDescription {
    std::string text;
    SafetensorsFile weights;
};
/// Describes a model in memory.
IrDescription describeAsIr(const GraphModule& module, const Progress& progress = {});
/// Reads such a description. `path` is used in errors and stored in the module.
std::shared_ptr<GraphModule> readIrDescription(const IrDescription& description, const std::string& path,
                                               const Progress& progress = {});

} // namespace fx

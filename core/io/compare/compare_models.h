// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// A difference between two models, in words.
struct ModelDifference {
    std::string what;
    std::string node;       ///< graph name, or empty
    std::string modulePath; ///< path of the module, parameter or buffer, or empty
};

/// How much of the module tree a format keeps: modules with their classes and settings, or only tensors by their paths
/// (.pt2).
enum class TreeComparison : std::uint8_t { Modules, TensorsByPath };

/// Compares everything that a file must preserve: nodes in order with names, targets, arguments and annotations; the
/// module tree with classes, settings and modes; parameters, buffers and plain tensors bit for bit, and which of them
/// are the same tensor.
///
/// Used to check a file after writing it. Stops after `limit` differences. Reads tensors in blocks of 1 MB.
/// Throws Error{File} if one of the files cannot be read, Error{Cancelled}.
std::vector<ModelDifference> compareModels(const GraphModule& a, const GraphModule& b, std::size_t limit = 10,
                                           const Progress& progress = {},
                                           TreeComparison tree = TreeComparison::Modules);

/// Throws Error{Refused} with the first difference if `back`, which was read from the file just written to `path`,
/// differs from `expected`.
void requireSame(const GraphModule& expected, const GraphModule& back, const std::string& path,
                 const Progress& progress = {}, TreeComparison tree = TreeComparison::Modules);

} // namespace fx

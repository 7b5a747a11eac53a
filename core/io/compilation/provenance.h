// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/compilation.h"

#include <unordered_map>

namespace fx {

/// The origin of nodes and kernels as tracked by Inductor (torch/_inductor/debug.py). Names denote nodes before
/// Inductor's first pass ("pre") and after its last ("post"), and kernels with the number of the call in the generated
/// code: "cpp_fused_relu_0:3".
struct Provenance {
    /// Maps a name to related names.
    using Links = std::unordered_map<std::string, std::vector<std::string>>;
    Links preToPost, postToPre, postToKernel, kernelToPost;

    bool isEmpty() const { return preToPost.empty() && postToPre.empty() && postToKernel.empty(); }
};

/// Reads the maps of a compilation; empty if it has none. Throws Error{File} for invalid JSON.
Provenance readProvenance(const Compilation& compilation);

/// Returns true if the stage contains the nodes before Inductor's first pass.
bool isBeforeInductor(const CompilationStage& stage);

/// Returns the line (0-based) where generated code calls a kernel, else where it defines the kernel, else nullopt.
std::optional<std::size_t> kernelLine(std::string_view code, std::string_view kernel);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/compilation.h"

#include <unordered_map>

namespace fx {

/// Where nodes came from and what they became, as Inductor tracks it (torch/_inductor/debug.py). Names are those of
/// nodes before Inductor's first passes ("pre") and after its last ("post"), and of kernels with the number that the
/// generated code has for the call: "cpp_fused_relu_0:3".
struct Provenance {
    using Links = std::unordered_map<std::string, std::vector<std::string>>;
    Links preToPost, postToPre, postToKernel, kernelToPost;

    bool isEmpty() const { return preToPost.empty() && postToPre.empty() && postToKernel.empty(); }
};

/// Reads the maps of a compilation; empty if it has none. Throws Error{File} if they are not such JSON.
Provenance readProvenance(const Compilation& compilation);

/// Whether the nodes of a stage are those before Inductor's first passes.
bool isBeforeInductor(const CompilationStage& stage);

/// The line (0-based) where generated code calls a kernel, else where the kernel is defined; nullopt: nowhere.
std::optional<std::size_t> kernelLine(std::string_view code, std::string_view kernel);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/compilation.h"

#include <filesystem>

namespace fx {

/// Returns true for a folder that TORCH_COMPILE_DEBUG writes for a graph: `model__0_inference_0.0`.
bool isDebugFolder(const std::filesystem::path& folder);

/// Reads the stages of such a folder: the files fx_graph_*.py and output_code.py.
Compilation readDebugFolder(const std::filesystem::path& folder);

} // namespace fx

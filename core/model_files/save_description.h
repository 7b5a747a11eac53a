// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a model as a description (`.json`) with its weights beside it. `verify` reads both files back and compares
/// them, weights bit for bit. Throws Error{Refused} and leaves both files as they were.
SaveReport saveDescription(const GraphModule& model, const std::string& path, bool verify,
                           const Progress& progress = {});

} // namespace fx

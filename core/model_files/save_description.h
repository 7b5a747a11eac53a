// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a model as a description (`.json`) with its weights beside it. With `verify`, both files are read back and
/// compared, weights bit for bit. Throws Error{Refused}; both files are then what they were.
SaveReport saveDescription(const GraphModule& model, const std::string& path, bool verify,
                           const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"

#include <span>
#include <string>
#include <vector>

namespace fx {

/// The parameters that an edit drew at random, as for a new layer or a changed `out_features`. Excludes parameters
/// that were kept, computed by a pass or read from a file, and constant ones such as the weights of a BatchNorm.
struct DrawnWeights {
    std::vector<TensorPtr> parameters;
    std::vector<std::string> modules; ///< modules of the resulting version, as `modulesWith` returns them
};

/// Returns the parameters drawn between two versions. Reads a few elements of each new parameter. Linear in the
/// modules of both versions if the module tree changed, else O(1). Throws Error{Cancelled}.
DrawnWeights drawnWeights(const GraphModule& before, const History::Entry& version, const Progress& progress = {});

/// Returns the paths of the modules in `model` that hold any of these parameters, in tree order; a shared module has
/// its first path. Linear in the modules. Throws Error{Cancelled}.
std::vector<std::string> modulesWith(const GraphModule& model, std::span<const TensorPtr> parameters,
                                     const Progress& progress = {});

/// Returns the modules of the last version whose parameters were drawn by edits after the first one. Linear in the
/// modules of versions whose tree changed. Throws Error{Cancelled}.
std::vector<std::string> modulesWithRandomWeights(std::span<const History::Entry> versions,
                                                  const Progress& progress = {});

} // namespace fx

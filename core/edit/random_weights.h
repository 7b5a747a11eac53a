// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"

#include <span>
#include <string>
#include <vector>

namespace fx {

/// What an edit drew at random: an `out_features` of another size, a new layer. Parameters that were kept, computed by
/// a pass or read from a file do not count, nor do constant ones such as the weights of a BatchNorm.
struct DrawnWeights {
    std::vector<TensorPtr> parameters;
    std::vector<std::string> modules; ///< of the version that it made, as `modulesWith` gives them
};

/// What the steps between two versions drew. Reads a few elements of each new parameter. Linear in the modules of both
/// versions if the tree is a new one, else O(1). Throws Error{Cancelled}.
DrawnWeights drawnWeights(const GraphModule& before, const History::Entry& version, const Progress& progress = {});

/// The modules of `model` that hold some of these parameters, by path, in the order of the tree; a module has its first
/// path. Linear in the modules. Throws Error{Cancelled}.
std::vector<std::string> modulesWith(const GraphModule& model, std::span<const TensorPtr> parameters,
                                     const Progress& progress = {});

/// The modules of the last version with parameters that edits since the first one drew. Linear in the modules of those
/// versions whose tree is a new one. Throws Error{Cancelled}.
std::vector<std::string> modulesWithRandomWeights(std::span<const History::Entry> versions,
                                                  const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"

#include <span>
#include <string>
#include <vector>

namespace fx {

/// The modules of the last version with parameters that edits since the first one drew at random: an `out_features` of
/// another size, a new layer. Parameters that were kept, computed by a pass or read from a file do not count, nor do
/// constant ones such as the weights of a BatchNorm. By path, in the order of the tree; a module has its first path.
/// Reads a few elements of each new parameter. Linear in the modules of those versions whose tree is a new one.
/// Throws Error{Cancelled}.
std::vector<std::string> modulesWithRandomWeights(std::span<const History::Entry> versions,
                                                  const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/values/value_tree.h"

namespace fx {

/// Reads a file of `torch.save` with tensors, numbers, strings and containers of them; tensors stay in the file. Runs
/// no code. Throws Error{File}, also if the file contains other objects.
ValueTree readValueFile(const std::string& path, const Progress& progress = {});

/// Writes a file for `torch.load`, also with weights_only. Replaces the target atomically. Throws Error{Refused}.
void writeValueFile(const ValueTree& tree, const std::string& path, const Progress& progress = {});

} // namespace fx

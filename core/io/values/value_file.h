// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/values/value_tree.h"

namespace fx {

/// Reads a file that `torch.save` wrote of tensors, numbers, texts and containers of them; tensors stay in the file.
/// Runs nothing. Throws Error{File}, also when the file holds objects of other kinds.
ValueTree readValueFile(const std::string& path, const Progress& progress = {});

/// Writes a file that `torch.load` takes, also with weights_only; beside the target, then in its place. Throws
/// Error{Refused}.
void writeValueFile(const ValueTree& tree, const std::string& path, const Progress& progress = {});

} // namespace fx

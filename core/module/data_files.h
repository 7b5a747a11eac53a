// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

namespace fx {

class DataFile;
struct Module;

/// Returns the files that contain the tensors of a module and its children, without duplicates, in order of their first
/// tensor.
std::vector<std::shared_ptr<const DataFile>> dataFiles(const Module& root);

} // namespace fx

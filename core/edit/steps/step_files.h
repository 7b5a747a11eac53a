// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>
#include <utility>
#include <vector>

namespace fx {

/// Old and new paths of files.
using FilePaths = std::vector<std::pair<std::string, std::string>>;

/// Paths of the files that steps (a JSON array) read models and tensors from, as the steps write them; each once.
std::vector<std::string> filesInSteps(const std::string& steps);
/// The steps with other paths in their place.
std::string withFiles(const std::string& steps, const FilePaths& replaced);

/// Copies the files that steps read into the folder STEM.files beside `target`, so that both can go to another machine.
/// Returns the paths and what they are relative to the folder of `target`. Equal names get numbers. Throws
/// Error{Refused, File, Cancelled}.
FilePaths carryFiles(const std::string& steps, const std::string& target, const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/steps/step_list.h"

namespace fx {

/// Old and new paths of files.
using FilePaths = std::vector<std::pair<std::string, std::string>>;

/// Returns the paths of the models and tensors that steps read, as written there, without duplicates.
std::vector<std::string> filesInSteps(const StepList& steps);
/// A Python pass that a step `passes` runs.
struct PassFile {
    std::string file;     ///< as written in the step: `p.py:Name`
    bool hasText = false; ///< the step contains the text; only its imports are resolved relative to the file
};
/// Returns the Python passes of steps, in order.
std::vector<PassFile> passFilesInSteps(const StepList& steps);
/// Returns the steps with file paths replaced.
StepList withFiles(const StepList& steps, const FilePaths& replaced);

/// Copies the files that steps read to the folder STEM.files next to `target`, so both can be moved to another
/// machine. Returns their paths in the steps and their paths relative to the folder of `target`. Equal names get
/// numbers. Throws Error{Refused, File, Cancelled}.
FilePaths carryFiles(const StepList& steps, const std::string& target, const Progress& progress = {});

} // namespace fx

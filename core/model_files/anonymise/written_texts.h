// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/model_files/anonymise/names.h"

#include <string>
#include <vector>

namespace fx::anonymise {

/// Searches what was written for the texts that `names` replaced or left out, and returns those that are still there:
/// in the names and contents of the files at `output` (a file, a folder, or `NAME.json` with its weights), inside
/// archives, too. `skipped` gets the compressed members of archives that are too large to search. Words of PyTorch and
/// of the formats are not texts of the model, nor are those shorter than three letters. Throws Error{File} and
/// Error{Cancelled}.
std::vector<std::string> survivingTexts(const std::string& output, const Names& names,
                                        std::vector<std::string>& skipped, const Progress& progress = {});

} // namespace fx::anonymise

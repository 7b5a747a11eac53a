// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/diag/progress.h"

#include <optional>
#include <string>

namespace fx {

/// Returns a warning if members of a model's archive do not match their checksums; PyTorch loads such a file silently,
/// with wrong weights. Returns nullopt if the path is not a zip archive, or was written without checksums. Reads the
/// whole file, about 1 GB per second. Throws Error{File}, Error{Cancelled}.
std::optional<Warning> wrongChecksums(const std::string& path, const Progress& progress = {});

} // namespace fx

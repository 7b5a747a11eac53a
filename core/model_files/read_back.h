// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"

#include <string_view>

namespace fx {

/// What to do about a model that a format cannot hold, which may be code: .lancet and .json hold the graph.
inline constexpr std::string_view kSaveAsGraph =
    "mend the model there, or save it as .lancet or .json, which keep the graph as it is";
/// The same for .lancet and .json themselves.
inline constexpr std::string_view kSaveAsOther = "mend the model there, or save it in another format";

/// The same error as a refusal to save the model: no file that somebody gave is at fault, and what was there stays.
Error asRefusal(const Error& error, const std::string& path, std::string_view remedy);

/// Opens a file or folder that was just written. When it cannot be read although the disk gives every byte of it, the
/// model itself is what no file of this kind can hold: Error{Refused}. Error{File} is a disk that fails.
std::shared_ptr<GraphModule> readBack(const std::string& path, std::string_view remedy, const OpenOptions& options = {},
                                      const Progress& progress = {});

} // namespace fx

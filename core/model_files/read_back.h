// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"

#include <string_view>

namespace fx {

/// The hint for a model that a format cannot hold, often because of its code: .lancet and .json store the graph.
inline constexpr std::string_view kSaveAsGraph =
    "mend the model there, or save it as .lancet or .json, which keep the graph as it is";
/// The same for .lancet and .json themselves.
inline constexpr std::string_view kSaveAsOther = "mend the model there, or save it in another format";

/// The same error as a refusal to save: no input file is at fault, and the existing target is kept.
Error asRefusal(const Error& error, const std::string& path, std::string_view remedy);

/// Opens a file or folder that was just written. Throws Error{Refused} if it is readable but invalid, because the
/// format cannot hold the model, and Error{File} if the disk fails.
std::shared_ptr<GraphModule> readBack(const std::string& path, std::string_view remedy, const OpenOptions& options = {},
                                      const Progress& progress = {});

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"

namespace fx {

/// The refusal for a model that a format cannot hold, often because of its code. Suggests .lancet and .json, which
/// store the graph.
inline constexpr MessageCode kSaveAsGraph = "saving.cannot_read_back";
/// The same for .lancet and .json themselves.
inline constexpr MessageCode kSaveAsOther = "saving.cannot_read_description";

/// Converts an error of reading back into a refusal to save: no input file is at fault, and the existing target is
/// kept.
Error asRefusal(const Error& error, const std::string& path, MessageCode code);

/// Opens a file or folder that was just written. Throws Error{Refused} with the code `refusal` if it is readable but
/// invalid, because the format cannot hold the model, and Error{File} if the disk fails.
std::shared_ptr<GraphModule> readBack(const std::string& path, MessageCode refusal, const OpenOptions& options = {},
                                      const Progress& progress = {});

} // namespace fx

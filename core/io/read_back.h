// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/open.h"

namespace fx {

/// The same error as a refusal to save the model: no file that somebody gave is at fault.
Error asRefusal(const Error& error, const std::string& path);

/// Opens a file or folder that was just written. When it cannot be read although the disk gives every byte of it, the model itself is what no
/// file of this kind can hold: Error{Refused}. Error{File} is a disk that fails.
std::shared_ptr<GraphModule> readBack(const std::string& path, const OpenOptions& options = {}, const Progress& progress = {});

} // namespace fx

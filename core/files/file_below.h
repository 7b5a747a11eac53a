// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <memory>
#include <string>

namespace fx {

/// Access to files named by another file or a folder, which are not trusted. A file is read only if `resolvedInside`
/// finds it below `folder` after following all links. `name` is relative to the folder or absolute. The user chose the
/// folder, so the folder itself may be a link.

/// Opens such a file; its path is `folder`/`name`. Throws Error{File} if it is outside, missing, or not a regular file.
/// Never blocks on a pipe or a device.
std::shared_ptr<const DataFile> openBelow(const std::string& folder, const std::string& name);

/// Reads such a text file. Throws as `openBelow`, and if the file exceeds `maxBytes`.
std::string readTextBelow(const std::string& folder, const std::string& name, std::uint64_t maxBytes = 64 << 20);

/// Returns true if the file exists below the folder and is regular.
bool isFileBelow(const std::string& folder, const std::string& name);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <string>

namespace fx {

/// Separates the path of a project from the name of a file in it: "net.lancet!/files/1.pt".
constexpr std::string_view kInside = ".lancet!/";

/// Opens a file, or a stored member of a project as a separate file. Throws Error{File}.
std::shared_ptr<const DataFile> openFileInside(const std::string& path);

} // namespace fx

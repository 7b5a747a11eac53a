// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/folder_source.h"
#include "core/module/module.h"

namespace fx {

/// Creates the module that a repr in module.py describes: Linear, Conv1d-3d or BatchNorm1d-3d, with the attributes that
/// its constructor sets, and with empty tensor slots. Returns null for other classes.
std::shared_ptr<Module> folderModule(const FolderSource::Entry& entry);

} // namespace fx

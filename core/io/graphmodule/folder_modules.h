// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/folder_source.h"
#include "core/module/module.h"

namespace fx {

/// The module that a repr in module.py describes: Linear, Conv1d-3d or BatchNorm1d-3d, with the attributes that its
/// constructor would set, and with empty tensor slots. Null for other classes.
std::shared_ptr<Module> folderModule(const FolderSource::Entry& entry);

} // namespace fx

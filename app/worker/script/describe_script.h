// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/torchscript/program_reader.h"

namespace app {

/// Reads a TorchScript file with LibTorch and returns it as data. The file is only loaded; a hostile file may end the
/// worker here. Throws Error{File}, Error{Cancelled}.
fx::script::ProgramText describeScript(const std::string& path, const fx::Progress& progress);

} // namespace app

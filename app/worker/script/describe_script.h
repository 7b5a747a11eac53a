// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/torchscript/program_reader.h"

namespace app {

/// What LibTorch reads from a TorchScript file, as data. Loading is all that happens to it; a hostile file may end the
/// worker here. Throws Error{File}, Error{Cancelled}.
fx::script::ProgramText describeScript(const std::string& path, const fx::Progress& progress);

} // namespace app

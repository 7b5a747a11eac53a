// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/torchscript/script_program.h"

namespace fx::script {

/// Decodes a program and checks every index. Throws Error{File}.
Program readProgram(const ProgramText& text);

} // namespace fx::script

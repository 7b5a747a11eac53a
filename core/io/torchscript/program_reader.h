// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/script_program.h"

#include <memory>

namespace fx::script {

/// A program as the worker tells it: JSON, and the bytes of the tensors among its constants. The format is an agreement
/// between Lancet's own programs; app/worker/script/describe_script.cpp writes it.
struct ProgramText {
    std::string json;
    std::shared_ptr<const std::vector<std::byte>> bytes; ///< null if there are none
};

/// Checks every index. Throws Error{File}.
Program readProgram(const ProgramText& text);

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace app {

/// The Hello message: {"library", "threads", "machine": {"host", "cpu", "processors", "memory", "isa", "libtorch",
/// "onednn"}}; memory in bytes.
std::string machineDescription();

} // namespace app

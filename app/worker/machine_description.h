// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace app {

/// Returns the Hello message: {"library", "threads", "takes_descriptors", "sandbox": {"landlock", "seccomp"},
/// "machine": {"host", "cpu", "processors", "memory", "isa", "libtorch", "onednn"}}; memory in bytes.
std::string machineDescription(bool takesDescriptors);

} // namespace app

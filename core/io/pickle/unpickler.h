// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/pickle/pickle_arena.h"

namespace fx {

/// Reads the pickle that starts at `offset` of `bytes` as data: protocols 0 to 5, all opcodes except those that need
/// something from outside (extension registry, out-of-band buffers), which are refused. Nothing is imported, looked up
/// or called, so a pickle that would run code is only a description of that call.
///
/// Time is linear in the bytes; memory is bounded by kMaxPickleMemory beside the bytes themselves. `name` stands in
/// errors. Throws Error{File} with the byte at which the trouble is, and Error{Cancelled}.
PickleArena unpickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset = 0,
                     const Progress& progress = {});

inline constexpr std::size_t kMaxPickleMemory = 180 << 20;

} // namespace fx

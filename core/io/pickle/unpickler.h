// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/pickle/pickle_arena.h"

namespace fx {

/// Reads the pickle that starts at `offset` of `bytes` as data: protocols 0 to 5, all opcodes except those that need
/// external data (extension registry, out-of-band buffers), which are refused. Nothing is imported, looked up or
/// called; a pickle that would run code only describes that call.
///
/// Time is linear in the bytes; memory is bounded by kMaxPickleMemory plus the bytes themselves. `name` is used in
/// errors. Throws Error{File} with the byte offset, and Error{Cancelled}.
PickleArena unpickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset = 0,
                     const Progress& progress = {});

inline constexpr std::size_t kMaxPickleMemory = 180 << 20;

} // namespace fx

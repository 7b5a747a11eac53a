// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/diag/progress.h"
#include "core/io/pickle/pickle_arena.h"

#include <algorithm>
#include <optional>

namespace fx {

/// Reads the pickle that starts at `offset` of `bytes` as data: protocols 0 to 5, all opcodes except those that need
/// external data (extension registry, out-of-band buffers), which are refused. Imports and calls nothing; a pickle that
/// would run code only describes that call.
///
/// Time is linear in the bytes; memory is bounded by `pickleMemoryLimit` plus the bytes themselves. `name` is used in
/// errors. Throws Error{File} with the byte offset, and Error{Cancelled}.
PickleArena unpickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset = 0,
                     const Progress& progress = {});

/// Like `unpickle`, to tell what Python would do: notes the calls of methods (`PickleArena::methodCalls`), accepts
/// whatever Python may do to any object, and returns what comes before a problem, which `stop` then is. Throws
/// Error{Cancelled}.
PickleArena unpickleNoting(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name,
                           std::size_t offset, const Progress& progress, std::optional<Error>& stop);

/// Maximum bytes of memory for the objects of a pickle of `bytes` bytes. The objects of a large model (a module takes
/// about 260 bytes and 20 objects) need less than twice its bytes; in a hostile pickle every byte can be an object.
constexpr std::size_t pickleMemoryLimit(std::size_t bytes) { return std::max<std::size_t>(180 << 20, 3 * bytes); }

} // namespace fx

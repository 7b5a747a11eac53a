// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace fx {

/// Identifies the pickled object that something was read from. A model may combine several files, so the index alone is
/// not unique.
struct FileObject {
    std::uint64_t file = 0;  ///< `TorchFile::id()`
    std::int64_t index = -1; ///< index in the arena of the file; -1 if not read from a file
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace fx {

/// The object of a pickle that something was read from. Models are put together from several files, so an index alone
/// does not say which object it is.
struct FileObject {
    std::uint64_t file = 0;  ///< `TorchFile::id()`
    std::int64_t index = -1; ///< in the file's arena; -1: nothing was read
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace fx {

namespace detail {
inline constinit thread_local std::uintptr_t stackFloor = UINTPTR_MAX; ///< not computed yet
bool isBelowStackFloor(std::uintptr_t here);
} // namespace detail

/// Returns true if the stack of this thread is nearly used up: at most 768 KiB are left, or a quarter of a small stack.
/// Code that recurses over an input checks it before each level and rejects the input. Costs two instructions.
[[gnu::always_inline]] inline bool isStackLow() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here < detail::stackFloor && detail::isBelowStackFloor(here);
}

} // namespace fx

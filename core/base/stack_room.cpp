// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/stack_room.h"

#include <algorithm>
#include <cstddef>

#include <pthread.h>

namespace fx::detail {
namespace {
constexpr std::size_t kReserve = 768 << 10; ///< for what runs without asking, and for unwinding

/// The lowest address that may be used; 0 where the system does not tell.
std::uintptr_t floorOfThread() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    void* lowest = nullptr;
    std::size_t size = 0;
    const bool isKnown = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
    pthread_attr_destroy(&attributes);
    return isKnown ? reinterpret_cast<std::uintptr_t>(lowest) + std::min(kReserve, size / 4) : 0;
}
} // namespace

bool isBelowStackFloor(std::uintptr_t here) {
    if (stackFloor == UINTPTR_MAX) stackFloor = floorOfThread();
    return here < stackFloor;
}

} // namespace fx::detail

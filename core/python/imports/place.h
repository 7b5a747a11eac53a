// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

namespace fx::python {

struct SourceFile;

/// A position in the program, for messages and for the origin of nodes.
struct Place {
    const SourceFile* file = nullptr;
    std::size_t offset = 0;
    std::string_view function; ///< name of a `Function` of the program

    /// Moves to an offset in a file. A signal handler that interrupts this sees either no file or a matching offset.
    void moveTo(const SourceFile* there, std::size_t at) {
        file = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        offset = at;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        file = there;
    }
};

/// The program that a thread interprets, for the Crash frame of a reader; null members if none exists.
struct Running {
    const Place* at = nullptr;
    const std::vector<Place>* calls = nullptr; ///< open calls, outermost first
};
/// The state of this thread.
inline thread_local Running running;

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <stop_token>

namespace app {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request. A second signal ends the process at once with exit code 6.
///
/// Main creates one object before any other thread: from then on the signals are blocked, and a separate thread waits
/// for them. Child processes must unblock them (`unblockInterrupts`).
class Interrupt {
public:
    Interrupt(); ///< Blocks the signals and starts the thread.
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_stop.get_token(); } ///< The stop request.

private:
    std::stop_source m_stop;
};

void unblockInterrupts(); ///< Unblocks the signals; for child processes.

/// Makes the first signal end the process at once, because it only prints from now on. `last` is called before, on
/// another thread. Printing code then need not check for stop requests.
void endAtOnce(std::function<void()> last);

} // namespace app

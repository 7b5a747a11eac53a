// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <stop_token>

namespace app {

/// Turns SIGINT and SIGTERM into a stop request; a second one ends the process at once with exit code 6.
///
/// Made once, by main before any other thread: the signals are blocked from then on and a thread of its own waits for
/// them. Programs started later must unblock them (`unblockInterrupts` in the child).
class Interrupt {
public:
    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
};

void unblockInterrupts();

} // namespace app

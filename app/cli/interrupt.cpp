// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <csignal>
#include <thread>
#include <unistd.h>

namespace app {
namespace {

sigset_t interrupts() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

Interrupt::Interrupt() {
    const sigset_t set = interrupts();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // Lives until the process ends: it owns a copy of the stop source and nothing else.
    std::thread([set, stop = m_stop]() mutable {
        for (int signal = 0; sigwait(&set, &signal) == 0;)
            if (!stop.request_stop()) ::_exit(6);
    }).detach();
}

void unblockInterrupts() {
    const sigset_t set = interrupts();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace app

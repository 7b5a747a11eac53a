// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include "core/base/child_processes.h"

#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace app {
namespace {

sigset_t interrupts() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP); // the terminal was closed
    return set;
}

std::mutex g_mutex;
std::function<void()> g_last; ///< set by `endAtOnce`

/// Ends the process if it only prints.
void endIfPrinting() {
    const std::lock_guard lock(g_mutex);
    if (!g_last) return;
    g_last();
    fx::killChildren();
    std::fputs("lancet: error: cancelled\n", stderr);
    ::_exit(6);
}

} // namespace

Interrupt::Interrupt() {
    const sigset_t set = interrupts();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // Lives until the process ends: it owns a copy of the stop source and nothing else.
    std::thread([set, stop = m_stop]() mutable {
        for (int signal = 0; sigwait(&set, &signal) == 0;)
            if (stop.request_stop()) endIfPrinting();
            else ::_exit(6);
    }).detach();
}

void endAtOnce(std::function<void()> last) {
    const std::lock_guard lock(g_mutex);
    g_last = std::move(last);
}

void unblockInterrupts() {
    const sigset_t set = interrupts();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace app

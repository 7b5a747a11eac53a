// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/exit_deadline.h"

#include "core/base/child_processes.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace ui {

namespace {

int exitCode = 0;

/// Tasks may still be running: nothing that they use may be destroyed, and their children go with the process.
void endNow() {
    std::fflush(nullptr);
    fx::killChildren();
    ::_exit(exitCode);
}

} // namespace

void exitWithin(std::chrono::milliseconds patience, int code) {
    exitCode = code;
    std::atexit(endNow); // before the destructors of statics
    std::thread([patience, code] {
        std::this_thread::sleep_for(patience);
        fx::killChildren();
        ::_exit(code);
    }).detach();
}

} // namespace ui

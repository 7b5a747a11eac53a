// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/exit_deadline.h"

#include "core/base/child_processes.h"

#include <thread>
#include <unistd.h>

namespace ui {

void exitWithin(std::chrono::milliseconds patience, int code) {
    std::thread([patience, code] {
        std::this_thread::sleep_for(patience);
        fx::killChildren();
        ::_exit(code);
    }).detach();
}

} // namespace ui

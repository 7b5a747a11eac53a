// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_window.h"

#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/tasks/exit_deadline.h"
#include "ui/tasks/termination.h"

#include <QApplication>

namespace ui {

int runUntilClosed(MainWindow& window, Settings& settings) {
    constexpr std::chrono::milliseconds kPatience{600};
    endOnSignals();
    const int code = QApplication::exec();
    if (code == kTerminated) window.leaveDocuments();
    else window.endDocuments();
    settings.sync();
    exitWithin(kPatience, code);
    return code;
}

} // namespace ui

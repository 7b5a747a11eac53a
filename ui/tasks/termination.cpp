// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/termination.h"

#include <QCoreApplication>
#include <QSocketNotifier>

#include <csignal>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ui {
namespace {

int wakeUp = -1;
constexpr unsigned kPatience = 2; // seconds

/// Only what a signal handler may do.
void onSignal(int /*signal*/) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wakeUp, &one, sizeof one);
    ::alarm(kPatience); // whose signal ends the process
}

} // namespace

void endOnSignals() {
    wakeUp = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wakeUp < 0) return;
    auto* notifier = new QSocketNotifier(wakeUp, QSocketNotifier::Read, QCoreApplication::instance());
    QObject::connect(notifier, &QSocketNotifier::activated, notifier, [notifier] {
        notifier->setEnabled(false);
        QCoreApplication::exit(kTerminated);
    });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

} // namespace ui

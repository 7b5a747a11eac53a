// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/tasks/task_slot.h"
#include "ui/tasks/thread_calls.h"

#include <QAbstractAnimation>
#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QTest>
#include <QTimer>

namespace testing {

/// True while a single-shot timer of at most `longest` or an animation that ends runs below `root`.
inline bool isWaiting(const QObject& root, std::chrono::milliseconds longest) {
    const auto timers = root.findChildren<QTimer*>();
    const auto animations = root.findChildren<QAbstractAnimation*>();
    return std::any_of(timers.begin(), timers.end(),
                       [&](const QTimer* timer) {
                           return timer->isActive() && timer->isSingleShot() && timer->intervalAsDuration() <= longest;
                       }) ||
           std::any_of(animations.begin(), animations.end(), [](const QAbstractAnimation* animation) {
               return animation->state() == QAbstractAnimation::Running && animation->totalDuration() >= 0;
           });
}

/// True while a call of QTimer::singleShot of at most `longest` waits.
inline bool isCallWaiting(std::chrono::milliseconds longest) {
    const auto* dispatcher = QAbstractEventDispatcher::instance();
    for (QObject* child : dispatcher->children())
        if (child->inherits("QSingleShotTimer"))
            for (const auto& timer : dispatcher->registeredTimers(child))
                if (timer.interval <= longest.count()) return true;
    return false;
}

/// Waits until nothing more happens by itself: no task runs, no event is queued, no animation runs and no single-shot
/// timer of at most `longest` waits in a window or below `root`. Returns false if this takes too long. Requests to a
/// worker are not awaited.
inline bool settle(std::chrono::milliseconds longest = std::chrono::milliseconds(500), const QObject* root = nullptr) {
    const auto isBusy = [&] {
        if (ui::taskPool().activeThreadCount() > 0 || isCallWaiting(longest)) return true;
        if (root && isWaiting(*root, longest)) return true;
        const QWidgetList windows = QApplication::topLevelWidgets();
        return std::any_of(windows.begin(), windows.end(),
                           [&](const QWidget* window) { return isWaiting(*window, longest); });
    };
    const auto isSettled = [&] {
        if (isBusy()) return false;
        ui::waitForCalls(ui::taskPool()); // has ended: this thread sees what it did
        QCoreApplication::processEvents();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCoreApplication::processEvents(); // what the last ones posted
        return !isBusy();
    };
    return QTest::qWaitFor(isSettled, 60'000 * LANCET_SLOWNESS);
}

} // namespace testing

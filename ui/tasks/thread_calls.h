// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QObject;
class QThreadPool;

namespace ui {

/// Runs `call` on a thread of `pool`; calls of higher `priority` run first. The call sees everything that this thread
/// did before. An exception from `call` ends the program.
void callOn(QThreadPool& pool, std::function<void()> call, int priority = 0);

/// Runs `call` from the event loop of the thread of `receiver`, unless `receiver` is destroyed before. The call sees
/// everything that this thread did before. Thread-safe.
void callLater(QObject* receiver, std::function<void()> call);

/// Waits for all calls on `pool`. This thread then sees everything that they did.
void waitForCalls(QThreadPool& pool);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QObject;
class QThreadPool;

namespace ui {

/// Runs `call` on a thread of `pool`, those of higher `priority` first. All that this thread did before is visible to
/// it. What it throws ends the program.
void callOn(QThreadPool& pool, std::function<void()> call, int priority = 0);

/// Runs `call` on the thread of `receiver`, from its event loop, unless the receiver is destroyed before. All that this
/// thread did before is visible to it. Any thread.
void callLater(QObject* receiver, std::function<void()> call);

/// Waits for all calls on `pool`; all that they did is visible to this thread.
void waitForCalls(QThreadPool& pool);

} // namespace ui

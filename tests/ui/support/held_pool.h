// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/tasks/task_slot.h"

#include <QSemaphore>
#include <QThreadPool>

#include <memory>

namespace testing {

/// Blocks the thread pool of the window while it lives: started tasks wait, in order.
class HeldPool {
public:
    /// Waits for running tasks first.
    HeldPool() : m_gate(std::make_shared<QSemaphore>()), m_threads(pool().maxThreadCount()) {
        pool().waitForDone();
        pool().setMaxThreadCount(1);
        pool().start([gate = m_gate] { gate->acquire(); });
    }
    ~HeldPool() {
        m_gate->release();
        pool().setMaxThreadCount(m_threads);
    }
    HeldPool(const HeldPool&) = delete;
    HeldPool& operator=(const HeldPool&) = delete;

private:
    static QThreadPool& pool() { return ui::taskPool(); }

    std::shared_ptr<QSemaphore> m_gate;
    int m_threads;
};

} // namespace testing

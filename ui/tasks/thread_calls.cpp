// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/thread_calls.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>

namespace ui {

namespace {

std::atomic<unsigned> endedCalls = 0;

/// A call from one thread to another. Qt's locks order the two, but ThreadSanitizer does not see them, since Qt is not
/// instrumented: the flag says the same where it looks.
class Handed {
public:
    explicit Handed(std::function<void()> call) : m_call(std::move(call)) {}
    Handed(const Handed& other) : m_call(other.m_call) { give(); }
    Handed(Handed&& other) noexcept : m_call(std::move(other.m_call)) { give(); }
    Handed& operator=(const Handed&) = delete;
    ~Handed() { take(); }

    void operator()() {
        take();
        std::exchange(m_call, {})();
        endedCalls.fetch_add(1, std::memory_order_release);
    }

private:
    void give() { m_given.store(true, std::memory_order_release); }
    void take() const { (void)m_given.load(std::memory_order_acquire); }

    std::function<void()> m_call;
    std::atomic<bool> m_given = false;
};

} // namespace

void callOn(QThreadPool& pool, std::function<void()> call, int priority) {
    pool.start(std::function<void()>(Handed(std::move(call))), priority);
}

void callLater(QObject* receiver, std::function<void()> call) {
    QMetaObject::invokeMethod(receiver, Handed(std::move(call)), Qt::QueuedConnection);
}

void waitForCalls(QThreadPool& pool) {
    pool.waitForDone();
    (void)endedCalls.load(std::memory_order_acquire);
}

} // namespace ui

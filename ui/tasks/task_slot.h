// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "ui/tasks/event_loop_watchdog.h"
#include "ui/tasks/thread_calls.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace ui {

/// State that a running task shares with its slot, independent of the result type: stop request, progress and listener.
class TaskState : public std::enable_shared_from_this<TaskState> {
public:
    /// Called on the GUI thread with the error that ended the task.
    using OnError = std::function<void(const fx::Error&)>;
    /// Called on the GUI thread with the current step and the fraction done, 0 to 1.
    using OnProgress = std::function<void(const QString& what, double done)>;

    /// `slotName` must be a string literal. The callbacks are dropped when `listener` is destroyed.
    TaskState(const char* slotName, QObject* listener, OnError onError, OnProgress onProgress);

    void cancel() { m_stop.request_stop(); } ///< Requests a stop and drops all later callbacks. Thread-safe.
    bool cancelled() const { return m_stop.stop_requested(); } ///< True after `cancel`. Thread-safe.
    bool finished() const { return m_finished; } ///< True after the result or the error was delivered. GUI thread only.
    /// Returns the progress interface for the work: it reports to `onProgress` and carries the stop request.
    fx::Progress progress();
    /// Runs `call` on the GUI thread unless the task was cancelled or its listener was destroyed.
    void deliver(std::function<void()> call);
    /// Passes `error` to `onError` on the GUI thread, under the conditions of `deliver`.
    void deliverError(const fx::Error& error);

private:
    void report(std::string_view what, double done);

    const char* m_slotName;
    QPointer<QObject> m_listener; ///< read on the GUI thread only
    OnError m_onError;
    OnProgress m_onProgress;
    std::stop_source m_stop;
    bool m_finished = false; ///< GUI thread only
    std::mutex m_mutex;      ///< guards the pending report
    std::string m_what;
    double m_done = 0;
    bool m_reportPosted = false;
};

/// The thread pool of tasks. It is separate from Qt's global pool, which Qt's painting waits for: tasks that fill that
/// pool would freeze the window. It is never destroyed, because the program exits without waiting for tasks.
QThreadPool& taskPool();

/// Frees a large value on a pool thread, because this can take as long as building it. It has the lowest priority,
/// since nothing waits for it.
template<class T> void disposeLater(T value) {
    constexpr int kLast = -1; // lowest of the priorities in use
    auto box = std::make_shared<T>(std::move(value));
    callOn(
        taskPool(), [box = std::move(box)]() mutable { box.reset(); }, kLast);
}

/// One kind of slow work of one owner. It is the only way for ui to leave the GUI thread.
///
/// `start` runs `work` on the thread pool with a snapshot that the caller captured, and passes the result to `onDone`
/// on the GUI thread. Another `start` or `cancel` stops the running work and drops its result, so callbacks only see
/// the newest start. Destroying `listener` also drops the callbacks. Errors are passed as values; nothing throws
/// through Qt. Use it from the GUI thread only. The destructor cancels without waiting.
template<class Result> class TaskSlot {
public:
    /// Runs on a pool thread. It polls the progress for stop requests and may throw fx::Error.
    using Work = std::function<Result(const fx::Progress&)>;
    /// Called on the GUI thread with the result.
    using OnDone = std::function<void(Result)>;

    /// `name` is a literal that identifies the callbacks of this slot to the watchdog ("document.layout").
    explicit TaskSlot(const char* name) : m_name(name) {}
    ~TaskSlot() { cancel(); }
    TaskSlot(const TaskSlot&) = delete;
    TaskSlot& operator=(const TaskSlot&) = delete;

    /// Cancels the running work and starts `work`.
    void start(Work work, QObject* listener, OnDone onDone, TaskState::OnError onError = {},
               TaskState::OnProgress onProgress = {}) {
        cancel();
        m_state = std::make_shared<TaskState>(m_name, listener, std::move(onError), std::move(onProgress));
        callOn(taskPool(), [state = m_state, work = std::move(work), onDone = std::move(onDone)]() mutable {
            run(state, std::exchange(work, {}), std::move(onDone));
        });
    }
    void cancel() {
        if (m_state) m_state->cancel();
        m_state.reset();
    }
    /// True from `start` until the result or error is delivered, or the task is cancelled.
    bool running() const { return m_state && !m_state->finished(); }

private:
    static void run(const std::shared_ptr<TaskState>& state, Work work, OnDone onDone) {
        if (state->cancelled()) return;
        try {
            auto result = std::make_shared<Result>(work(state->progress()));
            work = {};
            if (state->cancelled()) return;
            state->deliver([result, onDone = std::move(onDone)] { onDone(std::move(*result)); });
        } catch (const fx::Error& error) { state->deliverError(error); } catch (const std::exception& error) {
            state->deliverError(fx::Error(fx::ErrorKind::Run, fx::Message("app.internal", {{"detail", error.what()}})));
        } catch (...) { state->deliverError(fx::Error(fx::ErrorKind::Run, fx::Message("app.unknown"))); }
    }

    const char* m_name;
    std::shared_ptr<TaskState> m_state;
};

} // namespace ui

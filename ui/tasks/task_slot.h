// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "ui/tasks/event_loop_watchdog.h"
#include "ui/tasks/hand_over.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace ui {

/// The state that a running task shares with its slot, independent of the result type: stop request, progress and
/// listener.
class TaskState : public std::enable_shared_from_this<TaskState> {
public:
    using OnError = std::function<void(const fx::Error&)>;
    using OnProgress = std::function<void(const QString& what, double done)>;

    TaskState(const char* slotName, QObject* listener, OnError onError, OnProgress onProgress);

    void cancel() { m_stop.request_stop(); }
    bool cancelled() const { return m_stop.stop_requested(); }
    bool finished() const { return m_finished; }
    fx::Progress progress();
    /// Runs `call` on the GUI thread unless the task was cancelled or its listener was destroyed.
    void deliver(std::function<void()> call);
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

/// The threads of tasks. Not Qt's global pool: Qt's painting waits for that one, so that tasks which fill it would
/// freeze the window. Never destroyed, since the end of the program waits for no task.
QThreadPool& taskPool();

/// Frees a large value on a pool thread, because this can take as long as building it. Nobody waits for that: other
/// tasks come first.
template<class T> void disposeLater(T value) {
    constexpr int kLast = -1; // of priorities
    auto box = std::make_shared<T>(std::move(value));
    callOn(
        taskPool(), [box = std::move(box)]() mutable { box.reset(); }, kLast);
}

/// One kind of slow work of one owner; the only way for ui to leave the GUI thread.
///
/// `start` runs `work` on the thread pool with a snapshot that the caller captured and hands the result to `onDone` on
/// the GUI thread. Starting again or `cancel()` stops the running work and drops its result, so callbacks only see the
/// newest start. Callbacks are also dropped when `listener` is destroyed. Errors are passed as values; nothing throws
/// through Qt. Used from the GUI thread only; the destructor cancels without waiting.
template<class Result> class TaskSlot {
public:
    using Work = std::function<Result(const fx::Progress&)>;
    using OnDone = std::function<void(Result)>;

    /// `name` is a literal that identifies the callbacks of this slot to the watchdog ("document.layout").
    explicit TaskSlot(const char* name) : m_name(name) {}
    ~TaskSlot() { cancel(); }
    TaskSlot(const TaskSlot&) = delete;
    TaskSlot& operator=(const TaskSlot&) = delete;

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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/worker_settings.h"
#include "ui/tasks/task_slot.h"

#include <QMap>

#include <atomic>

namespace ui {

/// The arguments of a piece of work for the worker, on the service's thread.
struct WorkerCall {
    fx::remote::WorkerClient& client;  ///< the running worker
    std::chrono::milliseconds timeout; ///< the user's setting; 0: none
    const fx::Progress& progress;      ///< pass it on: it carries the stop request
};

/// The window's connection to lancet-worker: a queue of requests, one thread, one client.
///
///     service.request<RunResult>({WorkerService::Kind::Values, document}, [request](const WorkerCall& call) {
///         return call.client.run(request, call.timeout, call.progress);
///     }, this, [this](RunResult result) { … }, [this](const fx::Error& error) { … });
///
/// Requests run one after the other, because two models at once would distort each other's times. Requests with visible
/// results come first. A request replaces an older one with the same key: a waiting request is dropped, a running one
/// is stopped after a grace period. Callbacks come on the GUI thread, and never for a request that was replaced or
/// cancelled, or whose listener was destroyed. A worker that dies fails its current request, is reported by `died`, and
/// is replaced. GUI thread only.
class WorkerService final : public QObject {
    Q_OBJECT
public:
    /// The state of the worker.
    enum class State { Off, Starting, Ready, Busy, Failed };
    /// The order in which waiting requests run. A probe, for which nobody waits, is also interrupted: see
    /// `wantsWorker`.
    enum class Kind { Shapes, Values, Verify, Timing, Probe };
    /// Identifies requests that replace each other.
    struct Key {
        Kind kind = Kind::Shapes;
        const QObject* document = nullptr; ///< never dereferenced
        auto operator<=>(const Key&) const = default;
    };

    /// Starts no worker yet. `complete` makes what the worker gets for a model, on the service's thread.
    explicit WorkerService(WorkerSettings settings, QObject* parent = nullptr, fx::remote::CompleteModel complete = {});
    /// Stops all requests and the worker.
    ~WorkerService() override;

    const WorkerSettings& settings() const { return m_settings; } ///< The settings of the worker.
    /// Stops the worker with all requests. Requests that are not made again on `settingsChanged` get an error. The next
    /// worker has these settings.
    void setSettings(const WorkerSettings& settings);
    /// Starts the worker ahead of the first request.
    void warmUp();

    /// Queues `work`. `onDone` gets the result, `onError` the error, on the GUI thread.
    template<class Result> void request(Key key, std::function<Result(const WorkerCall&)> work, QObject* listener,
                                        std::function<void(Result)> onDone, TaskState::OnError onError = {},
                                        TaskState::OnProgress onProgress = {}) {
        const quint64 number = ++m_number;
        auto state = stateFor(key, number, listener, onError, std::move(onProgress));
        enqueue(key, {number, state, nullptr, listener, std::move(onError)},
                [this, key, number, state, work = std::move(work), onDone = std::move(onDone)](const WorkerCall& call) {
                    call.progress.report({}, 0); // it waits no longer
                    auto result = std::make_shared<Result>(work(call));
                    state->deliver([this, key, number, result, onDone] {
                        if (finish(key, number)) onDone(std::move(*result));
                    });
                });
    }
    void cancel(Key key); ///< Cancels the request with a key; no callback follows.
    /// True until the request with a key ends.
    bool isPending(Key key) const { return m_requests.contains(key); }

    State state() const { return m_state; } ///< The state of the worker.
    /// The machine and library that run models, as reported by the worker (JSON, `WorkerClient::machine`); empty until
    /// a worker was started.
    const QString& machine() const { return m_machine; }
    /// True if a sandbox confines models (WorkerClient::isSandboxed). Without one, requests are refused until `allow`:
    /// the window runs nothing automatically.
    bool isHeld() const { return m_isHeld; }
    bool isAllowed() const { return m_isHeld || *m_allowed; } ///< True if models may run.
    /// Allows models to run without a sandbox for the rest of the session. Emits `allowed`.
    void allow();
    /// True if a request was refused because models may not run. Such errors are obsolete after `allowed`.
    static bool isRefusal(const fx::Error& error);
    /// The reason why the worker cannot be started; while Failed.
    const QString& failure() const { return m_failure; }

Q_SIGNALS:
    void stateChanged(); ///< Emitted when `state`, `failure` or `isAllowed` change.
    /// Emitted when a request other than a probe was queued: owners of a running probe stop it and request it again.
    void wantsWorker();
    /// Emitted when the worker or its settings changed: pending results must be requested again.
    void settingsChanged();
    /// Emitted when refused requests can be made again.
    void allowed();
    /// Emitted when the worker ended unexpectedly. Documents are unchanged, and the next request has a new worker.
    void died(const fx::Error& error);

private:
    using Job = std::function<void(const WorkerCall&)>;
    struct Request {
        quint64 number = 0;
        std::shared_ptr<TaskState> state;
        std::shared_ptr<std::atomic<bool>> outdated; ///< replaced: must not be started
        QPointer<QObject> listener;
        TaskState::OnError onError;
    };
    std::shared_ptr<TaskState> stateFor(Key key, quint64 number, QObject* listener, TaskState::OnError onError,
                                        TaskState::OnProgress onProgress);
    void enqueue(Key key, Request asked, Job job);
    /// Returns false if the request is no longer the newest of its key. Afterwards it is not pending.
    bool finish(Key key, quint64 number);
    bool isNewest(Key key, quint64 number) const;
    /// Starts the worker; with `options`, a new worker.
    void restart(std::optional<fx::remote::WorkerOptions> options);
    void setState(State state, const QString& failure = {});

    // on the service's thread
    void perform(const std::shared_ptr<TaskState>& state, const Job& job, std::chrono::milliseconds timeout);
    void startClient(const fx::Progress& progress);
    void tell(std::function<void()> onGuiThread);

    fx::remote::WorkerOptions options() const;

    WorkerSettings m_settings;
    fx::remote::CompleteModel m_complete;
    QMap<Key, Request> m_requests;
    std::vector<std::weak_ptr<TaskState>> m_replaced; ///< in their grace period
    quint64 m_number = 0;
    State m_state = State::Off;
    QString m_machine, m_failure;
    bool m_isHeld = true; ///< until a worker reports otherwise
    std::shared_ptr<std::atomic<bool>> m_allowed = std::make_shared<std::atomic<bool>>(false);
    std::unique_ptr<fx::remote::WorkerClient> m_client; ///< used on the service's thread
    std::stop_source m_stop;                            ///< for work outside requests
    QThreadPool m_pool;                                 ///< one thread
};

} // namespace ui

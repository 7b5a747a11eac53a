// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/worker_settings.h"
#include "ui/tasks/task_slot.h"

#include <QMap>

#include <atomic>

namespace ui {

/// What a piece of work for the worker gets, on the service's thread.
struct WorkerCall {
    fx::remote::WorkerClient& client;
    std::chrono::milliseconds timeout; ///< as the user has set it; 0: none
    const fx::Progress& progress;      ///< to be handed on: this is how a request is stopped
};

/// The window's way to lancet-worker: a queue of requests, one thread, one client.
///
///     service.request<RunResult>({WorkerService::Kind::Values, document}, [request](const WorkerCall& call) {
///         return call.client.run(request, call.timeout, call.progress);
///     }, this, [this](RunResult result) { … }, [this](const fx::Error& error) { … });
///
/// Requests run one after the other, since two models at once would falsify each other's times; those that somebody
/// looks at come first. A request replaces an older one with the same key: what waits is dropped, what runs is ended
/// after a moment of grace. Callbacks come on the GUI thread and never for a request that was replaced or cancelled, or
/// whose listener has gone. A worker that dies fails the request that it was at, is told by `died`, and another one is
/// started. GUI thread only.
class WorkerService final : public QObject {
    Q_OBJECT
public:
    enum class State { Off, Starting, Ready, Busy, Failed };
    /// In the order in which waiting requests run. A probe, which nobody waits for, also makes way while it runs: see
    /// `wantsWorker`.
    enum class Kind { Shapes, Values, Verify, Timing, Probe };
    struct Key {
        Kind kind = Kind::Shapes;
        const QObject* document = nullptr; ///< never looked into
        auto operator<=>(const Key&) const = default;
    };

    explicit WorkerService(WorkerSettings settings, QObject* parent = nullptr);
    /// Ends the worker.
    ~WorkerService() override;

    const WorkerSettings& settings() const { return m_settings; }
    /// Ends the worker, and all requests with it: those that are not made again on `settingsChanged` get an error. The
    /// next one runs with these settings.
    void setSettings(const WorkerSettings& settings);
    /// Starts the worker ahead of the first request.
    void warmUp();

    template<class Result> void request(Key key, std::function<Result(const WorkerCall&)> work, QObject* listener,
                                        std::function<void(Result)> onDone, TaskState::OnError onError = {},
                                        TaskState::OnProgress onProgress = {}) {
        const quint64 number = ++m_number;
        auto state = stateFor(key, number, listener, onError, std::move(onProgress));
        enqueue(key, {number, state, nullptr, listener, std::move(onError)},
                [this, key, number, state, work = std::move(work), onDone = std::move(onDone)](const WorkerCall& call) {
                    auto result = std::make_shared<Result>(work(call));
                    state->deliver([this, key, number, result, onDone] {
                        if (finish(key, number)) onDone(std::move(*result));
                    });
                });
    }
    void cancel(Key key);
    bool isPending(Key key) const { return m_requests.contains(key); }

    State state() const { return m_state; }
    /// The machine and library that models run on, as the worker tells (JSON, `WorkerClient::machine`); empty until one
    /// was started.
    const QString& machine() const { return m_machine; }
    /// Why the worker cannot be started; while Failed.
    const QString& failure() const { return m_failure; }

Q_SIGNALS:
    void stateChanged();
    /// A request that is no probe was queued: whoever has a probe running stops it and asks for it again.
    void wantsWorker();
    /// The worker is another one, or has other settings: what still has to be known is asked again.
    void settingsChanged();
    /// The worker ended unexpectedly. Documents are as they were, and the next request has a new worker.
    void died(const fx::Error& error);

private:
    using Job = std::function<void(const WorkerCall&)>;
    struct Request {
        quint64 number = 0;
        std::shared_ptr<TaskState> state;
        std::shared_ptr<std::atomic<bool>> outdated; ///< replaced: not to be started any more
        QPointer<QObject> listener;
        TaskState::OnError onError;
    };
    std::shared_ptr<TaskState> stateFor(Key key, quint64 number, QObject* listener, TaskState::OnError onError,
                                        TaskState::OnProgress onProgress);
    void enqueue(Key key, Request asked, Job job);
    /// Whether it is still the newest of its key; it is no longer pending then.
    bool finish(Key key, quint64 number);
    bool isNewest(Key key, quint64 number) const;
    /// Starts the worker, with `options` another one.
    void restart(std::optional<fx::remote::WorkerOptions> options);
    void setState(State state, const QString& failure = {});

    // on the service's thread
    void perform(const std::shared_ptr<TaskState>& state, const Job& job, std::chrono::milliseconds timeout);
    void startClient(const fx::Progress& progress);
    void tell(std::function<void()> onGuiThread);

    WorkerSettings m_settings;
    QMap<Key, Request> m_requests;
    std::vector<std::weak_ptr<TaskState>> m_replaced; ///< in their moment of grace
    quint64 m_number = 0;
    State m_state = State::Off;
    QString m_machine, m_failure;
    std::unique_ptr<fx::remote::WorkerClient> m_client; ///< of the service's thread
    std::stop_source m_stop;                            ///< for what belongs to no request
    QThreadPool m_pool;                                 ///< of one thread
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"
#include "ui/run/run_session.h"

namespace ui {

/// The value of a node in one document: the last request and its answer. A run is an operation of the document and
/// continues while another document is in front. GUI thread only.
class ValuesSession final : public QObject {
    Q_OBJECT
public:
    /// The version and node of a request.
    struct Asked {
        std::shared_ptr<const fx::GraphModule> version;
        std::string node;
        bool operator==(const Asked&) const = default;
    };
    /// Idle: no request. Stopped: the user ended the run.
    enum class State { Idle, Running, Done, Failed, Stopped };

    ValuesSession(RunSession& run, WorkerService& worker); ///< Use `of` instead; `run` becomes the parent.
    ~ValuesSession() override;
    /// Returns the session that belongs to `run`. Creates it on first use; `run` owns it.
    static ValuesSession* of(RunSession& run, WorkerService& worker);

    /// Requests `slice` of element `part` of the node's value. Replaces a running request.
    void ask(const Asked& asked, std::int64_t part, const fx::ValueSlice& slice);
    /// Ends a run. It does not restart automatically.
    void stop();
    /// Ends a run and discards its answer.
    void drop();
    State state() const { return m_state; }        ///< The state of the last request.
    const Asked& asked() const { return m_asked; } ///< The last request.
    /// The answer; only while Done.
    const fx::NodeValues& values() const { return m_values; }
    /// The error; only while Failed.
    const fx::Error& error() const { return *m_error; }
    double done() const { return m_done; }         ///< The fraction done, 0 to 1.
    const QString& step() const { return m_step; } ///< The current step, as the worker reports it.
    /// True while the worker has not begun because it is busy with another request.
    bool isWaiting() const { return m_state == State::Running && m_waits; }

Q_SIGNALS:
    void changed();    ///< Emitted when `state` changes.
    void progressed(); ///< Emitted when `done` and `step` change.

private:
    void end(State state);
    WorkerService::Key key() const { return {WorkerService::Kind::Values, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    State m_state = State::Idle;
    Asked m_asked;
    fx::NodeValues m_values;
    std::optional<fx::Error> m_error;
    DocumentOperations::Id m_operation = 0; ///< while Running
    QString m_step;
    bool m_waits = false;
    double m_done = 0;
};

} // namespace ui

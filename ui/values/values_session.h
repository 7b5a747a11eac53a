// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"
#include "ui/run/run_session.h"

namespace ui {

/// The value of a node in one document: the last request and its answer. A run is an operation of the document: it
/// continues while another document is in front. GUI thread only.
class ValuesSession final : public QObject {
    Q_OBJECT
public:
    struct Asked {
        std::shared_ptr<const fx::GraphModule> version;
        std::string node;
        bool operator==(const Asked&) const = default;
    };
    enum class State { Idle, Running, Done, Failed, Stopped };

    ValuesSession(RunSession& run, WorkerService& worker);
    ~ValuesSession() override;
    /// The session that belongs to `run`; created on first use and destroyed with it.
    static ValuesSession* of(RunSession& run, WorkerService& worker);

    void ask(const Asked& asked, std::int64_t part, const fx::ValueSlice& slice);
    /// Ends a run; it does not restart by itself.
    void stop();
    /// Ends a run and forgets its answer.
    void drop();
    State state() const { return m_state; }
    const Asked& asked() const { return m_asked; }
    /// While Done.
    const fx::NodeValues& values() const { return m_values; }
    /// While Failed.
    const fx::Error& error() const { return *m_error; }
    double done() const { return m_done; } ///< 0..1
    const QString& step() const { return m_step; }

Q_SIGNALS:
    void changed();
    void progressed();

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
    DocumentOperations::Id m_operation = 0; ///< while running
    QString m_step;
    double m_done = 0;
};

} // namespace ui

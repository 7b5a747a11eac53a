// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/timing/time_version.h"

namespace ui {

/// What one version of the model takes, against the one that was opened.
struct Timing {
    std::shared_ptr<const fx::GraphModule> version;
    int threads = 0; ///< as asked for; 0: all
    std::optional<fx::timing::BenchResult> result;
    std::optional<fx::Error> error; ///< why it could not be timed
};

/// The same at one batch size.
struct SweepPoint {
    std::int64_t batch = 1;
    std::optional<fx::timing::BenchResult> result;
    std::optional<fx::Error> error;
};

/// What each node of the current version takes, as far as that is known.
struct KnownTimes {
    const fx::timing::NodeReport* report = nullptr; ///< null: nothing was timed
    std::shared_ptr<const fx::GraphModule> version; ///< that was timed
    std::size_t entry = 0;                          ///< its place in the history
    bool current = true;                            ///< it is the version that is shown
};

/// What is known of the time that a document takes: its versions against the original, and a sweep over batch sizes.
/// Measured when asked for, one thing at a time; what was measured of a version stays until the inputs or the machine
/// change. GUI thread only.
class TimingSession final : public QObject {
    Q_OBJECT
public:
    enum class State { NoModel, NeedsInputs, NotTimed, Running, Done, Failed };

    TimingSession(RunSession& run, WorkerService& worker, QObject* parent);
    /// Nothing is measured for a document that was closed.
    ~TimingSession() override;
    /// The one that belongs to `run`; made when there is none, and ends with it.
    static TimingSession* of(RunSession& run, WorkerService& worker);

    RunSession& run() const { return m_run; }
    Document& document() const { return m_run.document(); }
    /// Of the current version, with the threads that are set.
    State state() const;
    const Timing* current() const;
    /// Of any version with the threads that are set, or null.
    const Timing* of(const fx::GraphModule* version) const;
    /// Of the current version, else of the version timed last that still is in the history.
    KnownTimes times() const;

    const TimingSettings& settings() const { return m_settings; }
    void setSettings(const TimingSettings& settings);
    /// The version that is being timed now; null: none, or a sweep.
    const std::shared_ptr<const fx::GraphModule>& timedNow() const { return m_timedNow; }
    bool isSweeping() const { return !m_toSweep.empty(); }
    const std::vector<SweepPoint>& sweep() const { return m_sweep; }
    /// The version that the sweep is of; null: none was made.
    const std::shared_ptr<const fx::GraphModule>& sweptVersion() const { return m_swept; }
    /// Why there can be no sweep, or empty.
    QString whyNoSweep() const;
    /// What is being done; while running.
    const QString& step() const { return m_step; }
    double done() const { return m_done; } ///< 0..1

public Q_SLOTS:
    /// Times the current version, also when it is known already.
    void start();
    /// The same for a short time and without its nodes: enough for a ratio with its interval.
    void startShort();
    /// Times it at each of these batch sizes, one after the other; `changed` after each.
    void startSweep(std::vector<std::int64_t> batches);
    void stop();

Q_SIGNALS:
    void changed();
    void progressed();

private:
    void versionChanged();
    void forget();
    void measure(const TimingSettings& settings, bool nodes);
    void take(Timing timing);
    void sweepNext();
    void takePoint(SweepPoint point);
    bool mayStart() const;
    WorkerService::Key key() const { return {WorkerService::Kind::Timing, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    WorkerSettings m_place; ///< where it was measured
    TimingSettings m_settings;
    std::shared_ptr<const fx::GraphModule> m_original, m_swept, m_timedNow;
    std::vector<Timing> m_timed; ///< in the order in which they were measured
    std::vector<SweepPoint> m_sweep;
    std::vector<std::int64_t> m_toSweep; ///< batch sizes that are still to come, the last one first
    bool m_running = false;
    QString m_step;
    double m_done = 0;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/timing/time_version.h"

namespace ui {

/// The timing of one version of the model against the original.
struct Timing {
    std::shared_ptr<const fx::GraphModule> version; ///< the timed version
    int threads = 0;                                ///< as requested; 0: default
    std::optional<fx::timing::BenchResult> result;  ///< nullopt: timing failed
    std::optional<fx::Error> error;                 ///< why it could not be timed
};

/// The timing at one batch size.
struct SweepPoint {
    std::int64_t batch = 1;                        ///< the batch size
    std::optional<fx::timing::BenchResult> result; ///< nullopt: timing failed
    std::optional<fx::Error> error;                ///< why it could not be timed
};

/// The known times of the nodes in the current version.
struct KnownTimes {
    const fx::timing::NodeReport* report = nullptr; ///< null: nothing was timed
    std::shared_ptr<const fx::GraphModule> version; ///< the timed version
    std::size_t entry = 0;                          ///< its index in the history
    bool current = true;                            ///< it is the current version
};

/// The timings of a document: its versions against the original, and a sweep over batch sizes. Measures on demand, one
/// at a time, as an operation of the document. Keeps the results of a version until the inputs or the machine change.
/// GUI thread only.
class TimingSession final : public QObject {
    Q_OBJECT
public:
    /// The state of the current version.
    enum class State { NoModel, NeedsInputs, NotTimed, Running, Done, Failed };

    /// Use `of` instead. `run` must outlive the session.
    TimingSession(RunSession& run, WorkerService& worker, QObject* parent);
    /// Stops measuring for a closed document.
    ~TimingSession() override;
    /// Returns the session that belongs to `run`. Creates it on first use; `run` owns it.
    static TimingSession* of(RunSession& run, WorkerService& worker);

    RunSession& run() const { return m_run; }               ///< The runs of the document.
    Document& document() const { return m_run.document(); } ///< The document of the session.
    /// Returns the state of the current version with the selected number of threads.
    State state() const;
    const Timing* current() const; ///< Returns the timing of the current version, or null.
    /// Returns the timing of any version with the selected number of threads, or null.
    const Timing* of(const fx::GraphModule* version) const;
    /// Returns the times of the current version, or else of the last timed version that is still in the history.
    KnownTimes times() const;

    const TimingSettings& settings() const { return m_settings; } ///< Duration and threads.
    void setSettings(const TimingSettings& settings);             ///< Sets duration and threads; keeps all results.
    /// The version that is being timed; null: none, or a sweep runs.
    const std::shared_ptr<const fx::GraphModule>& timedNow() const { return m_timedNow; }
    bool isSweeping() const { return !m_toSweep.empty(); } ///< True while a sweep runs.
    /// The points of the sweep, in the order of measurement.
    const std::vector<SweepPoint>& sweep() const { return m_sweep; }
    /// The version of the sweep; null if none exists.
    const std::shared_ptr<const fx::GraphModule>& sweptVersion() const { return m_swept; }
    /// Returns the reason why a sweep is not possible, or empty.
    QString whyNoSweep() const;
    /// The current step, while running.
    const QString& step() const { return m_step; }
    /// True while the worker has not begun because it is busy with another request.
    bool isWaiting() const { return m_running && m_waits; }
    double done() const { return m_done; } ///< The fraction done, 0 to 1.

public Q_SLOTS:
    /// Times the current version, even if it was timed before.
    void start();
    /// Times the current version briefly, without its nodes: enough for a ratio with its interval.
    void startShort();
    /// Times the current version at these batch sizes in ascending order; emits `changed` after each.
    void startSweep(std::vector<std::int64_t> batches);
    void stop(); ///< Stops measuring; keeps the results so far.

Q_SIGNALS:
    void changed();    ///< Emitted when the state or a result changes.
    void progressed(); ///< Emitted when `step` or `done` change.

private:
    void versionChanged();
    void forget();
    void measure(const TimingSettings& settings, bool nodes);
    void begin(const QString& step);
    void report(const QString& step, double done);
    void end();
    void take(Timing timing);
    void keep(Timing timing);
    void keepOfOriginal(const Timing& timing);
    void sweepNext();
    void takePoint(SweepPoint point);
    bool mayStart() const;
    WorkerService::Key key() const { return {WorkerService::Kind::Timing, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    WorkerSettings m_place; ///< the worker of the results
    TimingSettings m_settings;
    std::shared_ptr<const fx::GraphModule> m_original, m_swept, m_timedNow;
    std::vector<Timing> m_timed; ///< in the order of measurement
    std::vector<SweepPoint> m_sweep;
    std::vector<std::int64_t> m_toSweep; ///< remaining batch sizes, the next one last
    bool m_running = false, m_waits = false;
    DocumentOperations::Id m_operation = 0; ///< while running
    QString m_step;
    double m_done = 0;
};

} // namespace ui

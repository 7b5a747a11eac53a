// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/timing/time_version.h"

namespace ui {

/// The timing of one version of the model against the original.
struct Timing {
    std::shared_ptr<const fx::GraphModule> version;
    int threads = 0; ///< as requested; 0 for all
    std::optional<fx::timing::BenchResult> result;
    std::optional<fx::Error> error; ///< why it could not be timed
};

/// The timing at one batch size.
struct SweepPoint {
    std::int64_t batch = 1;
    std::optional<fx::timing::BenchResult> result;
    std::optional<fx::Error> error;
};

/// The known times of the nodes in the current version.
struct KnownTimes {
    const fx::timing::NodeReport* report = nullptr; ///< null if nothing was timed
    std::shared_ptr<const fx::GraphModule> version; ///< the timed version
    std::size_t entry = 0;                          ///< its index in the history
    bool current = true;                            ///< whether it is the current version
};

/// The timings of a document: its versions against the original, and a sweep over batch sizes. Measured on demand, one
/// at a time, as an operation of the document; results of a version are kept until the inputs or the machine change.
/// GUI thread only.
class TimingSession final : public QObject {
    Q_OBJECT
public:
    enum class State { NoModel, NeedsInputs, NotTimed, Running, Done, Failed };

    TimingSession(RunSession& run, WorkerService& worker, QObject* parent);
    /// Stops what is measured for a closed document.
    ~TimingSession() override;
    /// The session that belongs to `run`; created on first use and destroyed with it.
    static TimingSession* of(RunSession& run, WorkerService& worker);

    RunSession& run() const { return m_run; }
    Document& document() const { return m_run.document(); }
    /// The state of the current version with the selected number of threads.
    State state() const;
    const Timing* current() const;
    /// The timing of any version with the selected number of threads, or null.
    const Timing* of(const fx::GraphModule* version) const;
    /// The times of the current version, or else of the last timed version that is still in the history.
    KnownTimes times() const;

    const TimingSettings& settings() const { return m_settings; }
    void setSettings(const TimingSettings& settings);
    /// The version that is being timed now; null: none, or a sweep.
    const std::shared_ptr<const fx::GraphModule>& timedNow() const { return m_timedNow; }
    bool isSweeping() const { return !m_toSweep.empty(); }
    const std::vector<SweepPoint>& sweep() const { return m_sweep; }
    /// The version of the sweep; null if there is none.
    const std::shared_ptr<const fx::GraphModule>& sweptVersion() const { return m_swept; }
    /// Why a sweep is not possible, or empty.
    QString whyNoSweep() const;
    /// The current step, while running.
    const QString& step() const { return m_step; }
    double done() const { return m_done; } ///< 0..1

public Q_SLOTS:
    /// Times the current version, even if it was timed before.
    void start();
    /// Times it for a short time, without its nodes: enough for a ratio with its interval.
    void startShort();
    /// Times it at each of these batch sizes in order; emits `changed` after each.
    void startSweep(std::vector<std::int64_t> batches);
    void stop();

Q_SIGNALS:
    void changed();
    void progressed();

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
    WorkerSettings m_place; ///< the worker that measured it
    TimingSettings m_settings;
    std::shared_ptr<const fx::GraphModule> m_original, m_swept, m_timedNow;
    std::vector<Timing> m_timed; ///< in the order of measurement
    std::vector<SweepPoint> m_sweep;
    std::vector<std::int64_t> m_toSweep; ///< remaining batch sizes, last one first
    bool m_running = false;
    DocumentOperations::Id m_operation = 0; ///< while running
    QString m_step;
    double m_done = 0;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/timing_session.h"

#include <algorithm>

namespace ui {

TimingSession::TimingSession(RunSession& run, WorkerService& worker, QObject* parent)
    : QObject(parent), m_run(run), m_worker(worker), m_workerLives(&worker), m_place(worker.settings()) {
    connect(&run.document(), &Document::versionChanged, this, &TimingSession::versionChanged);
    connect(&run, &RunSession::inputsChanged, this, &TimingSession::forget);
    connect(&worker, &WorkerService::stateChanged, this, [this] {
        if (m_worker.settings() != m_place) forget(); // another machine has other times
    });
    connect(&worker, &WorkerService::allowed, this, [this] {
        const auto isRefused = [](const Timing& known) {
            return known.error && WorkerService::isRefusal(*known.error);
        };
        if (std::erase_if(m_timed, isRefused) > 0) Q_EMIT changed();
    });
    versionChanged();
}

TimingSession::~TimingSession() {
    if (m_workerLives) m_worker.cancel(key());
}

TimingSession* TimingSession::of(RunSession& run, WorkerService& worker) {
    auto* known = run.findChild<TimingSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new TimingSession(run, worker, &run);
}

void TimingSession::versionChanged() {
    const fx::History* history = document().versions().history();
    const auto original = history ? history->entries().front().model : nullptr;
    if (original != m_original) {
        m_original = original;
        return forget();
    }
    // Versions that were undone and overwritten are no longer in the history.
    if (history)
        std::erase_if(m_timed, [&](const Timing& known) {
            return std::none_of(history->entries().begin(), history->entries().end(),
                                [&](const auto& entry) { return entry.model == known.version; });
        });
    Q_EMIT changed();
}

/// What was measured of another model, with other inputs or elsewhere says nothing any more.
void TimingSession::forget() {
    m_place = m_worker.settings();
    m_timed.clear();
    m_sweep.clear();
    m_swept.reset();
    stop();
}

TimingSession::State TimingSession::state() const {
    if (!document().versions().history() || document().state() != Document::State::Ready) return State::NoModel;
    if (m_running) return State::Running;
    if (!m_run.missing().isEmpty()) return State::NeedsInputs;
    if (const Timing* known = current()) return known->result ? State::Done : State::Failed;
    return State::NotTimed;
}

const Timing* TimingSession::of(const fx::GraphModule* version) const {
    const auto known = std::find_if(m_timed.begin(), m_timed.end(), [&](const Timing& each) {
        return each.version.get() == version && each.threads == m_settings.threads;
    });
    return known == m_timed.end() ? nullptr : &*known;
}

const Timing* TimingSession::current() const {
    return document().versions().history() ? of(document().versions().history()->model().get()) : nullptr;
}

KnownTimes TimingSession::times() const {
    const fx::History* history = document().versions().history();
    if (!history) return {};
    const auto& entries = history->entries();
    const auto known = [&](const Timing& timing, std::size_t report, bool isCurrent) {
        const auto& version = report == 0 ? entries.front().model : timing.version;
        const auto place =
            std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.model == version; });
        return KnownTimes{&timing.result->reports[report], version, static_cast<std::size_t>(place - entries.begin()),
                          isCurrent};
    };
    const auto usable = [&](const Timing& timing) {
        return timing.result && !timing.result->reports.empty() && timing.threads == m_settings.threads;
    };
    if (const Timing* timing = current(); timing && usable(*timing))
        return known(*timing, timing->result->reports.size() - 1, true);
    // The original was measured with each of its edits.
    const auto last = std::find_if(m_timed.rbegin(), m_timed.rend(), usable);
    if (last == m_timed.rend()) return {};
    return history->current() == 0 ? known(*last, 0, true) : known(*last, last->result->reports.size() - 1, false);
}

void TimingSession::setSettings(const TimingSettings& settings) {
    m_settings = settings;
    Q_EMIT changed();
}

bool TimingSession::mayStart() const {
    return document().versions().history() && document().state() == Document::State::Ready && m_run.missing().isEmpty();
}

void TimingSession::start() { measure(m_settings, true); }

void TimingSession::startShort() {
    constexpr double kSeconds = 2;
    measure({m_settings.threads, std::min(kSeconds, m_settings.seconds)}, false);
}

void TimingSession::measure(const TimingSettings& settings, bool nodes) {
    if (!mayStart()) return Q_EMIT changed();
    m_toSweep.clear();
    begin(tr("waiting for the worker"));
    m_timedNow = document().versions().history()->model();
    const auto version = m_timedNow;
    m_worker.request<fx::timing::BenchResult>(
        key(),
        [original = m_original, version, inputs = m_run.inputs(), settings, nodes](const WorkerCall& call) {
            return timeVersion(call, original, version, inputs, settings, nodes);
        },
        this,
        [this, version, threads = settings.threads](fx::timing::BenchResult result) {
            take({version, threads, std::move(result), std::nullopt});
        },
        [this, version, threads = settings.threads](const fx::Error& error) {
            take({version, threads, std::nullopt, error});
        },
        [this](const QString& what, double done) { report(what, done); });
    Q_EMIT changed();
}

void TimingSession::begin(const QString& step) {
    m_running = m_waits = true;
    m_step = step, m_done = 0;
    if (!m_operation)
        m_operation = document().operations().begin(DocumentOperations::Kind::Timing,
                                                    tr("Timing %1").arg(document().file().title()), [this] { stop(); });
}

void TimingSession::report(const QString& step, double done) {
    m_step = step, m_done = done;
    if (std::exchange(m_waits, false)) Q_EMIT changed();
    document().operations().report(m_operation, step, done);
    Q_EMIT progressed();
}

void TimingSession::end() {
    m_running = false;
    document().operations().end(std::exchange(m_operation, 0));
}

void TimingSession::stop() {
    m_worker.cancel(key());
    m_toSweep.clear();
    m_timedNow.reset();
    end();
    Q_EMIT changed();
}

void TimingSession::take(Timing timing) {
    m_timedNow.reset();
    end();
    if (timing.result && timing.version != m_original) keepOfOriginal(timing);
    keep(std::move(timing));
    versionChanged(); // drops it when its version went meanwhile
}

void TimingSession::keep(Timing timing) {
    std::erase_if(m_timed, [&](const Timing& known) {
        return known.version == timing.version && known.threads == timing.threads;
    });
    m_timed.push_back(std::move(timing));
}

/// The original was measured with its edit: after an undo its time is known too. A short measurement does not take the
/// place of one with the times of the nodes.
void TimingSession::keepOfOriginal(const Timing& timing) {
    const auto known = std::find_if(m_timed.begin(), m_timed.end(), [&](const Timing& each) {
        return each.version == m_original && each.threads == timing.threads && each.result;
    });
    fx::timing::BenchResult alone = *timing.result;
    if (alone.variants.empty()) return;
    if (known != m_timed.end() && !known->result->reports.empty() && alone.reports.empty()) return;
    alone.variants.resize(1);
    alone.ratios.clear();
    std::erase_if(alone.reports, [](const fx::timing::NodeReport& report) { return report.variant != 0; });
    std::erase_if(alone.warnings, [own = alone.variants.front().model](const fx::Message& warning) {
        const auto model = warning.argument("model");
        return !model.empty() && model != own; // of the edited one
    });
    keep({m_original, timing.threads, std::move(alone), std::nullopt});
}

QString TimingSession::whyNoSweep() const {
    if (!mayStart()) return m_run.missing().isEmpty() ? tr("no model is open") : m_run.missing();
    if (!fx::batchSize(m_run.inputs()))
        return tr("the inputs share no batch size; mark the batch dimension under Inputs…");
    return {};
}

void TimingSession::startSweep(std::vector<std::int64_t> batches) {
    if (!whyNoSweep().isEmpty() || batches.empty()) return Q_EMIT changed();
    std::sort(batches.begin(), batches.end(), std::greater<>());
    m_toSweep = std::move(batches);
    m_sweep.clear();
    m_swept = document().versions().history()->model();
    m_timedNow.reset();
    sweepNext();
}

/// A request for each size, so that others come in between, and the curve grows while it is measured.
void TimingSession::sweepNext() {
    const std::int64_t batch = m_toSweep.back();
    fx::InputDescription inputs = m_run.inputs();
    fx::setBatchSize(inputs, batch);
    TimingSettings settings = m_settings;
    settings.seconds = std::max(1.0, settings.seconds / 2);
    begin(tr("batch size %1").arg(batch));
    m_worker.request<fx::timing::BenchResult>(
        key(),
        [original = m_original, version = m_swept, inputs, settings](const WorkerCall& call) {
            return timeVersion(call, original, version, inputs, settings, false);
        },
        this,
        [this, batch](fx::timing::BenchResult result) {
            takePoint({batch, std::move(result), std::nullopt});
        },
        [this, batch](const fx::Error& error) {
            takePoint({batch, std::nullopt, error});
        },
        [this, batch](const QString& what, double done) {
            report(tr("batch size %1: %2").arg(batch).arg(what), done);
        });
    Q_EMIT changed();
}

/// A size that cannot be run, for want of memory or because the model has one written in, is told and ends the sweep.
void TimingSession::takePoint(SweepPoint point) {
    const bool failed = point.error.has_value();
    m_sweep.push_back(std::move(point));
    m_toSweep.pop_back();
    if (failed) m_toSweep.clear();
    if (!m_toSweep.empty()) return sweepNext();
    end();
    Q_EMIT changed();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/result_session.h"

#include "ui/run/version_shapes.h"

#include <algorithm>
#include <utility>

namespace ui {

namespace {
constexpr int kLookMs = 1500;           ///< how long the machine is watched before it counts as idle
constexpr int kLaterMs = 15'000;        ///< until a busy machine is looked at again
constexpr double kIdleProcessors = 0.3; ///< kept busy by others, at most
} // namespace

ResultSession::ResultSession(TimingSession& timing, WorkerService& worker)
    : QObject(&timing), m_timing(timing), m_worker(worker), m_workerLives(&worker) {
    m_look.setSingleShot(true);
    connect(&m_look, &QTimer::timeout, this, &ResultSession::look);
    connect(&document(), &Document::versionChanged, this, &ResultSession::versionChanged);
    connect(&document().shapes(), &DocumentShapes::changed, this, &ResultSession::noteShapes);
    connect(&run(), &RunSession::verifyChanged, this, &ResultSession::considerTiming);
    connect(&run(), &RunSession::inputsChanged, this, [this] {
        m_worker.cancel(key());
        for (Known& known : m_known) known.activations.reset(), known.isAsked = false; // of other sizes
        noteShapes();
    });
    connect(&worker, &WorkerService::stateChanged, this, &ResultSession::considerTiming);
    versionChanged();
    noteShapes();
}

ResultSession::~ResultSession() {
    if (m_workerLives) m_worker.cancel(key());
}

ResultSession* ResultSession::of(TimingSession& timing, WorkerService& worker) {
    auto* known = timing.findChild<ResultSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new ResultSession(timing, worker);
}

const ResultSession::Known* ResultSession::find(const fx::GraphModule* version) const {
    const auto known =
        std::find_if(m_known.begin(), m_known.end(), [&](const Known& each) { return each.version.get() == version; });
    return known == m_known.end() ? nullptr : &*known;
}

ResultSession::Known& ResultSession::knownOf(const std::shared_ptr<const fx::GraphModule>& version) {
    for (Known& known : m_known)
        if (known.version == version) return known;
    return m_known.emplace_back(Known{version, {}, {}, false});
}

const ChangeFacts* ResultSession::changes() const {
    const fx::History* history = document().versions().history();
    const Known* known = history ? find(history->model().get()) : nullptr;
    return known && known->changes ? &*known->changes : nullptr;
}

std::optional<std::int64_t> ResultSession::activationDifference() const {
    const fx::History* history = document().versions().history();
    if (!history || history->current() == 0) return std::nullopt;
    const Known* after = find(history->model().get());
    const Known* before = find(history->entries().front().model.get());
    if (!after || !before || !after->activations || !before->activations) return std::nullopt;
    return *after->activations - *before->activations;
}

void ResultSession::versionChanged() {
    const fx::History* history = document().versions().history();
    std::erase_if(m_known, [&](const Known& known) {
        return !history || std::none_of(history->entries().begin(), history->entries().end(),
                                        [&](const auto& entry) { return entry.model == known.version; });
    });
    if (history && history->current() > 0 && !changes()) {
        const auto before = history->entries().front().model, after = history->model();
        m_comparing.start(
            [before, after](const fx::Progress& progress) { return changeFacts(*before, *after, progress); }, this,
            [this, after](const ChangeFacts& facts) {
                knownOf(after).changes = facts;
                Q_EMIT changed();
            });
    }
    considerTiming();
    Q_EMIT changed();
}

/// Only the shapes of the current version are known at a time; those of the others were noted when they were it.
void ResultSession::noteShapes() {
    const auto& notes = document().shapes().notes();
    if (!notes || !notes->shown || notes->version != document().module() || !notes->failures.empty()) return;
    m_summing.start([shown = notes->shown](const fx::Progress&) { return activationBytes(*shown); }, this,
                    [this, version = notes->version](std::optional<std::int64_t> bytes) {
                        knownOf(version).activations = bytes;
                        Q_EMIT changed();
                        considerOriginal();
                    });
}

/// A model that comes with its edits, from a project or after a crash, has an original that was never current.
void ResultSession::considerOriginal() {
    const fx::History* history = document().versions().history();
    if (!history || history->current() == 0 || !run().missing().isEmpty()) return;
    const auto& original = history->entries().front().model;
    Known& before = knownOf(original); // which may move the others
    const Known* after = find(history->model().get());
    if (!after || !after->activations || before.activations || std::exchange(before.isAsked, true)) return;
    m_worker.request<std::optional<std::int64_t>>(
        key(),
        [original, inputs = run().inputs()](const WorkerCall& call) -> std::optional<std::int64_t> {
            fx::NodeShapes shapes = shapesOfVersion(call, original, inputs, ShapeRuns::Inferred);
            if (!shapes.failures.empty()) return std::nullopt;
            const auto notes = makeShapeNotes(original, std::move(shapes), {});
            return activationBytes(notes->shown ? *notes->shown : *original);
        },
        this,
        [this, original](std::optional<std::int64_t> bytes) {
            if (find(original.get())) knownOf(original).activations = bytes;
            Q_EMIT changed();
        });
}

void ResultSession::setInFront(bool inFront) {
    m_inFront = inFront;
    considerTiming();
}

void ResultSession::setTimesEdits(bool times) {
    m_timesEdits = times;
    considerTiming();
}

bool ResultSession::wantsTiming() const {
    return m_timesEdits && m_inFront && run().state() == RunSession::State::Done && !run().isProbing() &&
           document().versions().history()->current() > 0 && m_timing.state() == TimingSession::State::NotTimed &&
           m_worker.state() == WorkerService::State::Ready;
}

/// The machine is watched for a while first: what another program does would be measured too.
void ResultSession::considerTiming() {
    if (!wantsTiming()) return m_look.stop();
    if (m_look.isActive()) return;
    m_before = fx::timing::processorTime();
    m_look.start(kLookMs);
}

void ResultSession::look() {
    if (!wantsTiming()) return;
    fx::timing::Environment seen;
    fx::timing::noteLoad(seen, m_before, fx::timing::processorTime());
    if (m_before.known && seen.otherLoad < kIdleProcessors) return m_timing.startShort();
    m_before = fx::timing::processorTime();
    m_look.start(kLaterMs);
}

} // namespace ui

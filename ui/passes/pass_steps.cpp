// SPDX-License-Identifier: GPL-3.0-or-later
// Going through the steps of a run, and what is found out about them.
#include "core/remote/layer_times_message.h"
#include "ui/passes/passes_session.h"
#include "ui/run/run_center.h"
#include "ui/run/run_request.h"
#include "ui/run/verify_version.h"
#include "ui/widgets/core_text.h"

#include <algorithm>

namespace ui {

const PassStep* PassesSession::stepAt(const std::optional<Place>& place) const {
    if (!m_record || !place || place->pass >= m_record->passes.size()) return nullptr;
    const RecordedPass& pass = m_record->passes[place->pass];
    if (place->rewrite == 0) return &pass.whole;
    return place->rewrite <= pass.rewrites.size() ? &pass.rewrites[place->rewrite - 1] : nullptr;
}

void PassesSession::goTo(std::optional<Place> place) {
    if (place == m_place || (place && !stepAt(place))) return;
    m_place = place;
    Q_EMIT placeChanged();
    checkSteps();
}

void PassesSession::stepRewrite(int by) {
    if (!m_record || m_record->passes.empty()) return;
    const auto& passes = m_record->passes;
    Place at = m_place.value_or(Place{0, 0});
    if (by > 0) {
        if (at.rewrite < passes[at.pass].rewrites.size()) return goTo(Place{at.pass, at.rewrite + 1});
        for (std::size_t next = at.pass + 1; next < passes.size(); ++next)
            if (!passes[next].rewrites.empty()) return goTo(Place{next, 1});
        return;
    }
    if (at.rewrite > 1) return goTo(Place{at.pass, at.rewrite - 1});
    if (at.rewrite == 0 && !passes[at.pass].rewrites.empty())
        return goTo(Place{at.pass, passes[at.pass].rewrites.size()});
    for (std::size_t before = at.pass; before-- > 0;)
        if (!passes[before].rewrites.empty()) return goTo(Place{before, passes[before].rewrites.size()});
}

const PassesSession::Checked* PassesSession::checked(const PassStep& step) const {
    const auto known = m_checked.constFind(step.after.get());
    return known == m_checked.constEnd() ? nullptr : &*known;
}

const fx::onednn::WholeTimes* PassesSession::timed(const PassStep& step) const {
    const auto known = m_times.constFind(step.after.get());
    return known == m_times.constEnd() ? nullptr : &*known;
}

/// The step that is looked at first, then the passes from the first to the last.
void PassesSession::checkSteps() {
    const RunSession* session = m_run.sessionOf(m_document);
    if (session)
        connect(session, &RunSession::verificationsDropped, this, &PassesSession::forgetChecks, Qt::UniqueConnection);
    if (!m_record || !session || !session->automatic() || !session->missing().isEmpty()) return;
    m_toCheck.clear();
    const auto want = [this](const PassStep* step) {
        if (step && step->before != step->after && !m_checked.contains(step->after.get()) &&
            step->after != m_record->before)
            m_toCheck.push_back(step->after);
    };
    want(step());
    for (const RecordedPass& pass : m_record->passes) want(&pass.whole);
    checkNext();
}

/// What was compared and timed with other inputs or tolerances says nothing any more.
void PassesSession::forgetChecks() {
    if (m_worker)
        for (const auto kind : {WorkerService::Kind::Verify, WorkerService::Kind::Timing})
            m_worker->cancel({kind, this});
    m_checking = m_timing = false;
    m_checked.clear(), m_times.clear(), m_toCheck.clear();
    checkSteps();
    Q_EMIT changed();
}

void PassesSession::checkNext() {
    if (m_checking || m_toCheck.empty() || !m_worker) return;
    const auto version = m_toCheck.front();
    m_toCheck.pop_front();
    if (m_checked.contains(version.get())) return checkNext();
    const RunSession* session = m_run.sessionOf(m_document);
    if (!session) return;
    m_checking = true;
    const auto take = [this, version, record = m_record](Checked checked) {
        m_checking = false;
        if (record == m_record) m_checked.insert(version.get(), std::move(checked));
        Q_EMIT changed();
        checkNext();
    };
    m_worker->request<fx::VerifyReport>(
        {WorkerService::Kind::Verify, this},
        [before = m_record->before, version, inputs = session->inputs(), tolerances = session->tolerances()](
            const WorkerCall& call) { return verifyVersion(call, before, version, inputs, tolerances); },
        this,
        [take](fx::VerifyReport report) {
            take({std::move(report), std::nullopt});
        },
        [take](const fx::Error& error) {
            take({std::nullopt, error});
        });
}

void PassesSession::timeStep() {
    const PassStep* at = step();
    const RunSession* session = m_run.sessionOf(m_document);
    if (!at || !session || !session->missing().isEmpty() || m_timing || !m_worker) return;
    m_timing = true;
    m_worker->request<fx::onednn::WholeTimes>(
        {WorkerService::Kind::Timing, this},
        [before = m_record->before, after = at->after, inputs = session->inputs()](const WorkerCall& call) {
            return fx::remote::wholeTimes(call.client, requestToRun(before, inputs, call.progress), after, 1, {},
                                          call.progress);
        },
        this,
        [this, record = m_record, after = at->after](const fx::onednn::WholeTimes& times) {
            m_timing = false;
            if (record == m_record) m_times.insert(after.get(), times);
            Q_EMIT changed();
        },
        [this](const fx::Error& error) {
            m_timing = false;
            tell(linesFromCore(error.what()), true);
            m_toldRefusal = WorkerService::isRefusal(error);
        });
    Q_EMIT changed();
}

} // namespace ui

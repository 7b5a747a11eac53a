// SPDX-License-Identifier: GPL-3.0-or-later
// What is tried when a verdict is inconclusive, or to be surer of one.
#include "ui/run/run_session.h"
#include "ui/run/verify_version.h"

#include <algorithm>

namespace ui {

void RunSession::setInFront(bool inFront) {
    if (std::exchange(m_inFront, inFront) == inFront) return;
    if (inFront) probeByItself(); // what runs already goes on while another tab is in front
    Q_EMIT verifyChanged();
}

void RunSession::probe() {
    const Verification* known = current();
    if (!known || !known->report || known->report->verdict != fx::Verdict::Inconclusive) return;
    startProbe(known->version);
    Q_EMIT verifyChanged();
}

void RunSession::searchLonger() {
    const Verification* known = current();
    if (!known || !known->report || !known->report->agrees() || known->report->identical) return;
    beginProbe(known->version);
    m_worker.request<fx::VerifyReport>(
        probeKey(),
        [original = m_original, version = m_probed, inputs = inputsToVerify(), tolerances = m_tolerances,
         round = known->report->furtherInputs](const WorkerCall& call) {
            return searchVersion(call, original, version, inputs, tolerances, round);
        },
        this,
        [this, version = m_probed](fx::VerifyReport report) {
            endProbe(version, [&](Verification& searched) {
                report.furtherInputs += searched.report->furtherInputs;
                report.furtherSeconds += searched.report->furtherSeconds;
                searched.report = std::move(report);
                searched.probeError.reset();
            });
        },
        [this, version = m_probed](const fx::Error& error) {
            endProbe(version, [&](Verification& searched) { searched.probeError = error; });
        },
        [this](const QString& what, double done) { noteProbe(what, done); });
    Q_EMIT verifyChanged();
}

void RunSession::cancelProbe() {
    if (!m_probed) return;
    const auto version = m_probed;
    dropProbe();
    endProbe(version, [](Verification& known) {
        if (!known.report->agrees()) known.probeError.emplace(fx::ErrorKind::Cancelled, fx::Message("app.cancelled"));
    });
}

void RunSession::probeByItself() {
    const Verification* known = current();
    if (m_automatic && m_inFront && !m_probed && !m_running && known && known->isOpen()) startProbe(known->version);
}

void RunSession::beginProbe(std::shared_ptr<const fx::GraphModule> version) {
    m_probed = std::move(version);
    if (!m_probing)
        m_probing = m_document.operations().begin(DocumentOperations::Kind::Verify,
                                                  tr("Trying other inputs of %1").arg(m_document.file().title()),
                                                  [this] { cancelProbe(); });
    m_probeStep = tr("waiting for the worker"), m_probeDone = 0;
    m_worker.cancel(probeKey()); // at once: a request that is replaced runs on for a moment
}

void RunSession::noteProbe(const QString& what, double done) {
    if (!what.isEmpty()) m_probeStep = what;
    m_probeDone = done;
    m_document.operations().report(m_probing, what, done);
    Q_EMIT probeProgressed();
}

void RunSession::startProbe(std::shared_ptr<const fx::GraphModule> version) {
    beginProbe(std::move(version));
    m_worker.request<std::vector<fx::Probe>>(
        probeKey(),
        [original = m_original, version = m_probed, inputs = inputsToVerify(), tolerances = m_tolerances](
            const WorkerCall& call) { return probeVersion(call, original, version, inputs, tolerances); },
        this,
        [this, version = m_probed](std::vector<fx::Probe> probes) {
            endProbe(version, [&](Verification& known) {
                known.report->probes.clear();
                fx::addProbes(*known.report, std::move(probes));
                known.probeError.reset();
            });
        },
        [this, version = m_probed](const fx::Error& error) {
            endProbe(version, [&](Verification& known) { known.probeError = error; });
        },
        [this](const QString& what, double done) { noteProbe(what, done); });
}

void RunSession::dropProbe() {
    if (m_probed) m_worker.cancel(probeKey());
    m_probed.reset();
    m_document.operations().end(std::exchange(m_probing, 0));
}

void RunSession::endProbe(const std::shared_ptr<const fx::GraphModule>& version,
                          const std::function<void(Verification&)>& note) {
    m_probed.reset();
    m_document.operations().end(std::exchange(m_probing, 0));
    for (Verification& known : m_verified)
        if (known.version == version && known.report) note(known);
    Q_EMIT verifyChanged();
}

} // namespace ui

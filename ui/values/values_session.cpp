// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/values_session.h"

#include "core/remote/values_message.h"
#include "ui/document/node_facts.h"
#include "ui/run/run_request.h"

namespace ui {

ValuesSession::ValuesSession(RunSession& run, WorkerService& worker)
    : QObject(&run), m_run(run), m_worker(worker), m_workerLives(&worker) {
    // Values with other inputs or of another version are outdated.
    connect(&run, &RunSession::inputsChanged, this, &ValuesSession::drop);
    connect(&worker, &WorkerService::allowed, this, [this] {
        if (m_state == State::Failed && m_error && WorkerService::isRefusal(*m_error)) drop();
    });
    connect(&run.document(), &Document::versionChanged, this, [this] {
        if (m_asked.version && m_asked.version != m_run.document().module()) drop();
    });
}

ValuesSession::~ValuesSession() {
    if (m_workerLives) m_worker.cancel(key());
}

ValuesSession* ValuesSession::of(RunSession& run, WorkerService& worker) {
    auto* known = run.findChild<ValuesSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new ValuesSession(run, worker);
}

void ValuesSession::ask(const Asked& asked, std::int64_t part, const fx::ValueSlice& slice) {
    const Document& document = m_run.document();
    const auto& original = document.versions().history()->entries().front().model;
    fx::remote::ValuesRequest request;
    if (original != asked.version) request.original = fx::remote::ModelRef(original);
    request.node = asked.node;
    request.part = part;
    request.slice = slice;
    document.operations().end(std::exchange(m_operation, 0)); // what runs is replaced
    m_asked = asked;
    m_waits = true;
    m_step = tr("waiting for the worker"), m_done = 0;
    m_operation = document.operations().begin(
        DocumentOperations::Kind::Values,
        tr("Running %1 up to %2").arg(document.file().title(), elided(asked.node, 60)), [this] { stop(); });
    document.operations().setWaiting(m_operation);
    m_worker.request<fx::NodeValues>(
        key(),
        [request, version = asked.version, inputs = m_run.inputs()](const WorkerCall& call) mutable {
            request.run = requestToRun(version, inputs, call.progress);
            if (request.original) request.original->mode = inputs.mode;
            return fx::remote::lookAt(call.client, request, call.timeout, call.progress);
        },
        this,
        [this](fx::NodeValues values) {
            m_values = std::move(values);
            end(State::Done);
        },
        [this](const fx::Error& error) {
            m_error = error;
            end(State::Failed);
        },
        [this](const QString& what, double done) {
            m_waits = false;
            m_step = what, m_done = done;
            m_run.document().operations().report(m_operation, what, done);
            Q_EMIT progressed();
        });
    m_state = State::Running;
    Q_EMIT changed();
}

void ValuesSession::stop() {
    if (m_state != State::Running) return;
    m_worker.cancel(key());
    end(State::Stopped);
}

void ValuesSession::drop() {
    m_worker.cancel(key());
    m_asked = {};
    end(State::Idle);
}

void ValuesSession::end(State state) {
    m_state = state;
    m_run.document().operations().end(std::exchange(m_operation, 0));
    Q_EMIT changed();
}

} // namespace ui

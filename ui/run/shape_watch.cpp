// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/shape_watch.h"

#include "core/remote/shapes_message.h"
#include "ui/run/run_request.h"

namespace ui {

namespace {

using Notes = std::shared_ptr<const ShapeNotes>;

Notes findShapes(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version, const fx::InputDescription& inputs, const QString& guessed) {
    fx::remote::ShapesRequest request;
    request.run = requestToRun(version, inputs, call.progress);
    request.mayRun = guessed.isEmpty(); // a whole run is not worth it for sizes that were made up
    const fx::remote::Frame frame = fx::remote::toFrame(request, call.client.nextNumber(), call.client.local());
    return makeShapeNotes(version, fx::remote::shapesResult(call.client.call(frame, call.timeout, call.progress)), guessed);
}

Notes nothing(const std::shared_ptr<const fx::GraphModule>& version, const QString& why) {
    auto notes = std::make_shared<ShapeNotes>();
    notes->version = version;
    notes->error = why;
    return notes;
}

} // namespace

ShapeWatch::ShapeWatch(RunSession& session, WorkerService& worker) : QObject(&session), m_session(session), m_worker(worker) {
    connect(&session, &RunSession::inputsChanged, this, [this] {
        m_asked.reset();
        ask();
    });
    connect(&session.document(), &Document::versionChanged, this, &ShapeWatch::ask);
    ask();
}

void ShapeWatch::ask() {
    Document& document = m_session.document();
    const std::shared_ptr<const fx::GraphModule> version = document.module();
    if (!version || version == m_asked || m_session.guesses().empty()) return;
    m_asked = version;
    const WorkerService::Key key{WorkerService::Kind::Shapes, this};
    if (!m_session.missing().isEmpty()) {
        m_worker.cancel(key);
        return document.setShapes(nothing(version, m_session.missing()));
    }
    m_worker.request<Notes>(
        key, [version, inputs = m_session.inputs(), guessed = m_session.guessed()](const WorkerCall& call) { return findShapes(call, version, inputs, guessed); }, this,
        [this](Notes notes) { m_session.document().setShapes(std::move(notes)); },
        [this, version](const fx::Error& error) { m_session.document().setShapes(nothing(version, QString::fromUtf8(error.what()))); });
}

} // namespace ui

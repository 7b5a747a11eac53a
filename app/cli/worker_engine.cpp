// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/worker_engine.h"

#include "core/remote/layer_times_message.h"
#include "core/remote/shapes_message.h"
#include "core/remote/verify_message.h"

namespace app {

fx::NodeShapes WorkerEngine::shapes(const fx::GraphModule& model) {
    m_worker.start(m_session.progress());
    fx::remote::ShapesRequest request{m_options.request(m_session, {})};
    request.run.model = std::make_shared<const fx::GraphModule>(model);
    return fx::remote::shapesResult(m_worker.call(fx::remote::toFrame(request, m_worker.nextNumber(), m_worker.local()),
                                                  m_options.limit(), m_session.progress()));
}

fx::NodeShapes WorkerEngine::partShapes(const fx::GraphModule& part, bool gradients) {
    return fx::remote::partShapes(m_worker, part, gradients, m_options.limit(), m_session.progress());
}

std::vector<fx::ValueTree> WorkerEngine::values(const fx::GraphModule& model) {
    m_worker.start(m_session.progress());
    fx::remote::RunRequest request;
    request.model = std::make_shared<const fx::GraphModule>(model);
    const fx::remote::RunResult result =
        fx::remote::runResult(m_worker.call(fx::remote::toFrame(request, m_worker.nextNumber(), m_worker.local()),
                                            m_options.limit(), m_session.progress()));
    return result.output.items;
}

fx::remote::RunRequest WorkerEngine::requestFor(const fx::GraphModule& model) const {
    fx::remote::RunRequest request = m_options.request(m_session, {});
    request.model = std::make_shared<const fx::GraphModule>(model);
    return request;
}

std::vector<fx::onednn::LayerTimes> WorkerEngine::layerTimes(const fx::GraphModule& model) {
    return fx::remote::layerTimes(m_worker, requestFor(model), m_options.limit(), m_session.progress());
}

fx::onednn::WholeTimes WorkerEngine::wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) {
    return fx::remote::wholeTimes(m_worker, requestFor(before), std::make_shared<const fx::GraphModule>(after), 1,
                                  m_options.limit(), m_session.progress());
}

void WorkerEngine::compare(const fx::GraphModule& before, const fx::GraphModule& after) {
    m_worker.start(m_session.progress());
    fx::remote::VerifyRequest request;
    request.run = m_options.request(m_session, {});
    request.run.model = std::make_shared<const fx::GraphModule>(before);
    request.other = std::make_shared<const fx::GraphModule>(after);
    const fx::VerifyReport report = fx::remote::verify(m_worker, request, m_options.limit(), m_session.progress());
    if (report.verdict != fx::Verdict::Different) return;
    std::string reason = report.reason.text();
    if (reason.empty() && report.first) reason = "the first difference is at " + report.first->node;
    fx::Error error(fx::ErrorKind::Refused, fx::Message("passes.differs", {{"reason", reason}}));
    throw error.onNode(report.first ? report.first->node : std::string());
}

} // namespace app

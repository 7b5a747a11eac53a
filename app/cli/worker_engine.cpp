// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/worker_engine.h"

#include "core/remote/shapes_message.h"

namespace app {

fx::NodeShapes WorkerEngine::shapes(const fx::GraphModule& model) {
    m_worker.start(m_session.progress());
    fx::remote::ShapesRequest request{m_options.request(m_session, {})};
    request.run.model = std::make_shared<const fx::GraphModule>(model);
    return fx::remote::shapesResult(m_worker.call(fx::remote::toFrame(request, m_worker.nextNumber(), m_worker.local()),
                                                  m_options.limit(), m_session.progress()));
}

} // namespace app

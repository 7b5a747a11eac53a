// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/passes/tensor_engine.h"

namespace app {

/// Passes' way to lancet-worker, which is started when it is first asked.
class WorkerEngine : public fx::TensorEngine {
public:
    WorkerEngine(const Session& session, const RunOptions& options) : m_session(session), m_options(options) {}
    fx::NodeShapes shapes(const fx::GraphModule& model) override;
    std::vector<fx::ValueTree> values(const fx::GraphModule& model) override;
    std::vector<fx::onednn::LayerTimes> layerTimes(const fx::GraphModule& model) override;
    fx::onednn::WholeTimes wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) override;
    /// Throws Error{Refused} if the outputs of the two models differ on the user's or guessed inputs; what cannot be
    /// judged (`inconclusive`) passes.
    void compare(const fx::GraphModule& before, const fx::GraphModule& after);

private:
    fx::remote::RunRequest requestFor(const fx::GraphModule& model) const;

    const Session& m_session;
    const RunOptions& m_options;
    fx::remote::WorkerClient m_worker{{}};
};

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/passes/tensor_engine.h"

namespace app {

/// Connects passes to lancet-worker. The first request starts the worker.
class WorkerEngine : public fx::TensorEngine {
public:
    /// `session` and `options` must outlive the engine.
    WorkerEngine(const Session& session, const RunOptions& options) : m_session(session), m_options(options) {}
    fx::NodeShapes shapes(const fx::GraphModule& model) override;
    fx::NodeShapes partShapes(const fx::GraphModule& part, bool gradients) override;
    std::vector<fx::ValueTree> values(const fx::GraphModule& model) override;
    std::vector<fx::onednn::LayerTimes> layerTimes(const fx::GraphModule& model) override;
    fx::onednn::WholeTimes wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) override;
    /// Throws Error{Refused} if the outputs of the two models differ on the user's or guessed inputs. An inconclusive
    /// comparison passes.
    void compare(const fx::GraphModule& before, const fx::GraphModule& after);

private:
    fx::remote::RunRequest requestFor(const fx::GraphModule& model) const;

    const Session& m_session;
    const RunOptions& m_options;
    fx::remote::WorkerClient m_worker{m_session.workerOptions()};
};

} // namespace app

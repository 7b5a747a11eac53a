// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/inputs/input_spec.h"
#include "core/passes/tensor_engine.h"
#include "core/remote/verify_report.h"
#include "ui/run/worker_service.h"

#include <QPointer>

namespace ui {

/// The way of a running pass to the worker: it asks from a thread of the pool and waits until the window's queue of
/// requests has answered. The worker is started when it is first asked. The calls throw what the worker says, and
/// Error{Cancelled}.
class PassEngine final : public fx::TensorEngine {
public:
    /// The inputs are those of the document; models with other inputs get guessed ones. `progress` must outlive it.
    PassEngine(QPointer<WorkerService> worker, fx::InputDescription inputs, fx::Tolerances tolerances,
               const fx::Progress& progress);
    ~PassEngine() override;

    fx::NodeShapes shapes(const fx::GraphModule& model) override;
    std::vector<fx::ValueTree> values(const fx::GraphModule& model) override;
    std::vector<fx::onednn::LayerTimes> layerTimes(const fx::GraphModule& model) override;
    fx::onednn::WholeTimes wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) override;
    /// Throws Error{Refused} if the outputs differ; what cannot be judged passes.
    void compare(const fx::GraphModule& before, const fx::GraphModule& after);

    /// Whether results came from the worker; comparisons do not count.
    bool hasComputed() const { return m_hasComputed; }

private:
    template<class Result> Result ask(WorkerService::Kind kind, std::function<Result(const WorkerCall&)> work);
    fx::InputDescription inputsOf(const fx::GraphModule& model) const;

    QPointer<WorkerService> m_worker; ///< looked into on the GUI thread only
    QObject* m_key;                   ///< of its requests; of the GUI thread
    fx::InputDescription m_inputs;
    fx::Tolerances m_tolerances;
    const fx::Progress& m_progress;
    bool m_hasComputed = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/inputs/input_spec.h"
#include "core/passes/tensor_engine.h"
#include "core/remote/verify_report.h"
#include "ui/run/worker_service.h"

#include <QPointer>

namespace ui {

/// Connects a running pass to the worker: it sends requests from a pool thread and waits until the window's queue has
/// answered. The first request starts the worker. The calls throw the errors of the worker, and Error{Cancelled}.
class PassEngine final : public fx::TensorEngine {
public:
    /// `inputs` are those of the document; models with other inputs get guessed inputs. `progress` must outlive the
    /// engine.
    PassEngine(QPointer<WorkerService> worker, fx::InputDescription inputs, fx::Tolerances tolerances,
               const fx::Progress& progress);
    ~PassEngine() override;

    fx::NodeShapes shapes(const fx::GraphModule& model) override;
    fx::NodeShapes partShapes(const fx::GraphModule& part, bool gradients) override;
    std::vector<fx::ValueTree> values(const fx::GraphModule& model) override;
    std::vector<fx::onednn::LayerTimes> layerTimes(const fx::GraphModule& model) override;
    fx::onednn::WholeTimes wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) override;
    /// Throws Error{Refused} if the outputs differ. Outputs that cannot be compared pass.
    void compare(const fx::GraphModule& before, const fx::GraphModule& after);

    /// True if results came from the worker; comparisons do not count.
    bool hasComputed() const { return m_hasComputed; }

private:
    template<class Result> Result ask(WorkerService::Kind kind, std::function<Result(const WorkerCall&)> work);
    fx::InputDescription inputsOf(const fx::GraphModule& model) const;

    QPointer<WorkerService> m_worker; ///< used on the GUI thread only
    QObject* m_key;                   ///< key of the requests; lives on the GUI thread
    fx::InputDescription m_inputs;
    fx::Tolerances m_tolerances;
    const fx::Progress& m_progress;
    bool m_hasComputed = false;
};

} // namespace ui

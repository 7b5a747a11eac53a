// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"
#include "core/remote/layer_error_message.h"
#include "core/remote/quant_message.h"
#include "core/remote/worker_client.h"

#include <chrono>
#include <functional>
#include <optional>

namespace fx::remote {

/// Computes the arithmetic of quantisation in a worker. `run` supplies threads, seed, and the inputs that are drawn
/// when there are no batches.
class QuantWorker : public quant::QuantEngine {
public:
    /// Keeps a reference to `worker`. `limit` is the time per call, or for all calls after `limitWhole`; 0 for none.
    QuantWorker(WorkerClient& worker, RunRequest run, std::chrono::milliseconds limit, Progress progress)
        : m_worker(worker), m_run(std::move(run)), m_limit(limit), m_progress(std::move(progress)) {}

    std::size_t calibrate(GraphModule& prepared, std::span<const std::vector<ValueTree>> batches,
                          const Progress& progress) override;
    std::vector<quant::QParams> qparams(std::span<const std::shared_ptr<const Module>> observers) override;
    std::vector<quant::QParams> observe(std::span<const quant::WeightJob> jobs) override;
    std::vector<TensorPtr> quantize(std::span<const quant::QuantizeJob> jobs) override;
    /// Runs the model on the inputs of `run` and returns its outputs.
    std::vector<ValueTree> values(const GraphModule& model) override { return run(model); }

    /// Compares a quantised model with its original on these batches, or on random ones if none exist.
    LayerErrors layerErrors(const std::shared_ptr<const GraphModule>& original,
                            const std::shared_ptr<const GraphModule>& quantised,
                            std::span<const std::vector<ValueTree>> batches, const Progress& progress);

    /// Returns `quant::linearFoldWarnings`, by the shapes of the model on the first batch; without batches, on the
    /// inputs of `run`. Shapes that cannot be computed are unknown.
    Warnings linearFoldWarnings(const quant::PreparedModel& prepared, const std::shared_ptr<const GraphModule>& model,
                                std::span<const std::vector<ValueTree>> batches, const Progress& progress);

    /// Applies the time limit to all later calls together.
    void limitWhole() { m_start = std::chrono::steady_clock::now(); }
    /// Sets whether `calibrate` also measures saturation.
    void setDetails(bool details) { m_details = details; }
    /// Returns the result of the last `calibrate`.
    const Calibration& calibration() const { return m_calibration; }

private:
    static constexpr std::size_t kDraws = 8; ///< random batches if none are given

    Frame call(const std::function<Frame(std::uint32_t number, bool local)>& request, const Progress& progress);
    std::vector<ValueTree> run(GraphModule model);
    void refuseWithoutNumbers(std::span<const quant::WeightJob> jobs);

    WorkerClient& m_worker;
    RunRequest m_run;
    std::chrono::milliseconds m_limit; ///< 0: none
    /// Start of the limited time; unset to limit each call.
    std::optional<std::chrono::steady_clock::time_point> m_start;
    Progress m_progress;
    bool m_details = false;
    Calibration m_calibration;
};

/// Writes the states of the observers into the modules of a prepared model.
void putStates(GraphModule& prepared, const Calibration& calibration);

} // namespace fx::remote

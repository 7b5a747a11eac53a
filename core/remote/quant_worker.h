// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/quant_engine.h"
#include "core/remote/layer_error_message.h"
#include "core/remote/quant_message.h"
#include "core/remote/worker_client.h"

#include <chrono>
#include <functional>
#include <optional>

namespace fx::remote {

/// The arithmetic of quantisation, done by a worker. `run` gives threads and seed, and the inputs that are drawn when
/// there are no batches.
class QuantWorker : public quant::QuantEngine {
public:
    QuantWorker(WorkerClient& worker, RunRequest run, std::chrono::milliseconds limit, Progress progress)
        : m_worker(worker), m_run(std::move(run)), m_limit(limit), m_progress(std::move(progress)) {}

    std::size_t calibrate(GraphModule& prepared, std::span<const std::vector<ValueTree>> batches,
                          const Progress& progress) override;
    std::vector<quant::QParams> qparams(std::span<const std::shared_ptr<const Module>> observers) override;
    std::vector<quant::QParams> observe(std::span<const quant::WeightJob> jobs) override;
    std::vector<TensorPtr> quantize(std::span<const quant::QuantizeJob> jobs) override;
    std::vector<ValueTree> values(const GraphModule& model) override { return run(model); }

    /// How far a quantised model is from the one that it was made from, on these batches or, without any, on drawn
    /// ones.
    LayerErrors layerErrors(const std::shared_ptr<const GraphModule>& original,
                            const std::shared_ptr<const GraphModule>& quantised,
                            std::span<const std::vector<ValueTree>> batches, const Progress& progress);

    /// From now on, all calls together may take no longer than the limit.
    void limitWhole() { m_start = std::chrono::steady_clock::now(); }
    /// Whether `calibrate` also measures saturation.
    void setDetails(bool details) { m_details = details; }
    /// What the last `calibrate` found.
    const Calibration& calibration() const { return m_calibration; }

private:
    static constexpr std::size_t kDraws = 8; ///< batches, where none are given

    Frame call(const std::function<Frame(std::uint32_t number, bool local)>& request, const Progress& progress);
    std::vector<ValueTree> run(GraphModule model);
    void refuseWithoutNumbers(std::span<const quant::WeightJob> jobs);

    WorkerClient& m_worker;
    RunRequest m_run;
    std::chrono::milliseconds m_limit;                            ///< 0: none
    std::optional<std::chrono::steady_clock::time_point> m_start; ///< of the time that is limited; none: of each call
    Progress m_progress;
    bool m_details = false;
    Calibration m_calibration;
};

/// Puts the states of observers into the modules of a prepared model.
void putStates(GraphModule& prepared, const Calibration& calibration);

} // namespace fx::remote

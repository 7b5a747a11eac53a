// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/remote/quant_report.h"
#include "core/remote/quant_worker.h"

namespace app {

/// Connects quantisation to lancet-worker. The first request starts the worker. `options` specifies random inputs for
/// the case without batches, and the time limit.
class WorkerQuantEngine : public fx::quant::QuantEngine {
public:
    /// `session` must outlive the engine.
    WorkerQuantEngine(const Session& session, const RunOptions& options)
        : m_worker(session.workerOptions()),
          m_engine(m_worker, request(session, options), options.limit(), session.progress()) {
        m_engine.limitWhole(); // of a scan, too
    }

    std::size_t calibrate(fx::GraphModule& prepared, std::span<const std::vector<fx::ValueTree>> batches,
                          const fx::Progress& progress) override {
        return m_engine.calibrate(prepared, batches, progress);
    }
    std::vector<fx::quant::QParams> qparams(std::span<const std::shared_ptr<const fx::Module>> observers) override {
        return m_engine.qparams(observers);
    }
    std::vector<fx::quant::QParams> observe(std::span<const fx::quant::WeightJob> jobs) override {
        return m_engine.observe(jobs);
    }
    std::vector<fx::TensorPtr> quantize(std::span<const fx::quant::QuantizeJob> jobs) override {
        return m_engine.quantize(jobs);
    }
    std::vector<fx::ValueTree> values(const fx::GraphModule& model) override { return m_engine.values(model); }
    /// Compares the output of a converted model with that of the original on one batch. Returns warnings: the output is
    /// lost in noise, or the reason why it was not compared.
    fx::Warnings compareOutput(const std::shared_ptr<const fx::GraphModule>& original, const fx::GraphModule& converted,
                               std::span<const fx::Batch, 1> batch, const fx::Progress& progress) {
        try {
            const auto errors =
                m_engine.layerErrors(original, std::make_shared<const fx::GraphModule>(converted), batch, progress);
            return fx::remote::lostOutput(errors.output.sqnr());
        } catch (const fx::Error& error) {
            if (error.kind() != fx::ErrorKind::Run) throw;
            return {{fx::Message("quant.not_compared", {{"reason", error.what()}}), error.node, {}, {}}};
        }
    }
    /// Access to details and to the results of calibration.
    fx::remote::QuantWorker& engine() { return m_engine; }
    fx::remote::WorkerClient& worker() { return m_worker; } ///< The connection to the worker.

private:
    static fx::remote::RunRequest request(const Session& session, RunOptions options) {
        options.inputsFile.clear(); // batches are given to `calibrate`
        return options.request(session, {});
    }
    fx::remote::WorkerClient m_worker;
    fx::remote::QuantWorker m_engine;
};

} // namespace app

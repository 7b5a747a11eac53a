// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/remote/quant_report.h"
#include "core/remote/quant_worker.h"

namespace app {

/// Quantisation's way to lancet-worker, which is started when it is first asked. `options` gives the inputs that are
/// drawn without batches, and the time limit.
class WorkerQuantEngine : public fx::quant::QuantEngine {
public:
    WorkerQuantEngine(const Session& session, const RunOptions& options)
        : m_engine(m_worker, request(session, options), options.limit(), session.progress()) {
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
    /// Warnings on the output of a converted model against that of the original on one batch: that it is lost in noise,
    /// or why it was not compared.
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
    /// For details and what calibration found.
    fx::remote::QuantWorker& engine() { return m_engine; }
    fx::remote::WorkerClient& worker() { return m_worker; }

private:
    static fx::remote::RunRequest request(const Session& session, RunOptions options) {
        options.inputsFile.clear(); // batches are given to `calibrate`
        return options.request(session, {});
    }
    fx::remote::WorkerClient m_worker{{}};
    fx::remote::QuantWorker m_engine;
};

} // namespace app

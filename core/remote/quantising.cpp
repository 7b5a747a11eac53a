// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quantising.h"

#include "core/quant/convert.h"
#include "core/quant/measure/one_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fx::remote {
namespace {

using quant::LayerSensitivity;
using quant::SensitivityScan;

void requireLayers(const SensitivityScan& scan, const std::vector<std::string>& layers) {
    if (layers.empty()) throw Error(ErrorKind::Refused, Message("quant.no_layers"));
    for (const LayerSensitivity& each : scan.done)
        if (std::find(layers.begin(), layers.end(), each.layer) == layers.end())
            throw Error(ErrorKind::Refused, Message("quant.other_scan", {{"layer", each.layer}}));
}

/// Relative error of the output when the model is quantised by these rules.
double noiseOf(const Quantisation& of, const quant::QConfigMapping& mapping, QuantWorker& worker,
               const Progress& progress) {
    quant::PreparedModel prepared = quant::prepare(*of.model, mapping, of.options);
    if (of.observes) worker.calibrate(prepared.model, of.batches, progress);
    const auto quantised = std::make_shared<const GraphModule>(quant::convert(prepared, {}, &worker));
    return worker.layerErrors(of.model, quantised, of.batches, progress).output.relativeNoise();
}

/// A combination of quantised layers, and what it does to the output.
struct Attempt {
    quant::MixedPrecision layers;
    std::vector<std::string> operators; ///< that are left in floating point
    quant::QConfigMapping mapping;
    double noise = 0;
};

/// Finds the layers to quantise for an error budget. The scan tells what each layer alone costs, with the operators
/// between the layers in floating point. How errors meet and what these operators cost is not in it, so that each
/// combination is measured: everything first, then fewer layers in growing steps, each with the operators quantised and
/// with the operators in floating point; the model in floating point at last.
class Proposing {
public:
    Proposing(const Quantisation& of, const quant::PreparedModel& prepared, double budget, QuantWorker& worker,
              const Progress& progress, LayerScan& out)
        : m_of(of), m_prepared(prepared), m_operators(quant::quantisedOperators(prepared)), m_budget(budget),
          m_worker(worker), m_progress(progress), m_out(out) {}

    void run() {
        const std::optional<Attempt> whole = tried(layersFor(-kInfinity), Operators::Quantised);
        if (takeIfMet(whole)) return;
        double target = m_budget;
        for (int i = 0; i < kAttempts; ++i) {
            m_progress.report("checking the proposal", static_cast<double>(i) / kAttempts);
            const quant::MixedPrecision layers = layersFor(target);
            if (layers.quantised.empty()) break;
            const std::optional<Attempt> all = layers.kept.empty() ? whole
                                               : m_operatorsFit    ? tried(layers, Operators::Quantised)
                                                                   : std::nullopt;
            if (takeIfMet(all)) return;
            const std::optional<Attempt> alone = m_operators.empty() ? all : tried(layers, Operators::Float);
            if (takeIfMet(alone)) return;
            if (all && alone && quant::sqnrOf(all->noise - alone->noise) < m_budget) m_operatorsFit = false;
            const double expected = std::max(target, quant::sqnrOf(layers.noise));
            target = i + 2 < kAttempts ? expected + lackOf(all, alone) * (1 << i) : kInfinity;
        }
        take(measured(layersFor(kNone), Operators::Float));
    }

private:
    enum class Operators : std::uint8_t { Quantised, Float };
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN(); ///< no noise is within it, not even 0
    static constexpr int kAttempts = 8;

    quant::MixedPrecision layersFor(double target) const { return quant::withinError(m_out.sensitivity, target); }

    Attempt measured(const quant::MixedPrecision& layers, Operators operators) const {
        Attempt attempt;
        attempt.layers = layers;
        std::vector<std::string> kept = layers.kept;
        if (operators == Operators::Float) {
            attempt.operators = m_operators;
            kept.insert(kept.end(), m_operators.begin(), m_operators.end());
        }
        attempt.mapping = quant::withoutLayers(m_prepared, kept);
        attempt.noise = noiseOf(m_of, attempt.mapping, m_worker, m_progress);
        return attempt;
    }

    /// Nothing where the combination does not run: quantised and float values may meet in operators that take one kind
    /// only.
    std::optional<Attempt> tried(const quant::MixedPrecision& layers, Operators operators) {
        try {
            Attempt attempt = measured(layers, operators);
            m_out.bestSqnr = std::max(m_out.bestSqnr, quant::sqnrOf(attempt.noise));
            return attempt;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Run) throw;
            m_out.skipped.push_back(error);
            return std::nullopt;
        }
    }

    /// By how much the better one misses the budget; where none runs, a layer less is tried.
    double lackOf(const std::optional<Attempt>& a, const std::optional<Attempt>& b) const {
        if (!a && !b) return 1;
        const double sqnr = quant::sqnrOf(std::min(a ? a->noise : kInfinity, b ? b->noise : kInfinity));
        return std::isfinite(sqnr) ? m_budget - sqnr : m_budget;
    }

    bool takeIfMet(const std::optional<Attempt>& attempt) {
        if (!attempt || !(quant::sqnrOf(attempt->noise) >= m_budget)) return false;
        take(*attempt);
        return true;
    }
    void take(const Attempt& attempt) {
        m_out.proposal = attempt.layers, m_out.mapping = attempt.mapping;
        m_out.operators = attempt.operators;
        m_out.sqnr = quant::sqnrOf(attempt.noise);
        m_out.proposal->meetsBudget = m_out.sqnr >= m_budget;
    }

    const Quantisation& m_of;
    const quant::PreparedModel& m_prepared;
    const std::vector<std::string> m_operators; ///< between the layers
    double m_budget;                            ///< least SQNR in dB
    QuantWorker& m_worker;
    const Progress& m_progress;
    LayerScan& m_out;
    bool m_operatorsFit = true; ///< else the operators alone are more noise than the budget allows
};

} // namespace

Warnings nothingWithin(const LayerScan& scan, std::string_view best, std::string_view budget) {
    if (!scan.proposal || !scan.proposal->quantised.empty()) return {};
    return {{Message("quant.below_budget", {{"best", best}, {"budget", budget}}), {}, {}, {}}};
}

Warnings skippedCombinations(const LayerScan& scan) {
    if (scan.skipped.empty()) return {};
    const Error& first = scan.skipped.front();
    return {{Message("quant.skipped_combinations", {{"count", scan.skipped.size()}, {"reason", first.what()}}),
             first.node,
             first.modulePath,
             {}}};
}

LayerScan scanLayers(const Quantisation& of, const ScanOptions& options, QuantWorker& worker,
                     const Progress& progress) {
    const quant::PreparedModel prepared = quant::prepare(*of.model, of.mapping, of.options);
    const std::vector<std::string> layers = quant::quantisedLayers(prepared);
    requireLayers(options.known, layers);
    LayerScan out;
    out.sensitivity = options.known;
    worker.setDetails(false);
    quant::continueScan(
        out.sensitivity, layers,
        [&](const std::string& layer) {
            progress.report("preparing " + layer, 0);
            return LayerSensitivity{layer, noiseOf(of, quant::onlyLayers(prepared, {layer}), worker, progress), {}};
        },
        options.measured);
    if (options.leastSqnr) Proposing(of, prepared, *options.leastSqnr, worker, progress, out).run();
    return out;
}

} // namespace fx::remote

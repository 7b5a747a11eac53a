// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/observers.h"
#include "core/make/observer_spec.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>

namespace fx::engine {
namespace {

Value pairOf(at::Tensor scale, at::Tensor zeroPoint) { return Value::tuple({std::move(scale), std::move(zeroPoint)}); }

/// What an observer that has seen nothing answers.
Value untouched() { return pairOf(at::tensor({1.0F}), at::tensor({std::int64_t{0}})); }

/// torch.ao `check_min_max_valid`.
bool isValid(const at::Tensor& least, const at::Tensor& greatest) {
    if (least.numel() == 0 || greatest.numel() == 0) return false;
    const bool isScalar = least.dim() == 0 || greatest.dim() == 0;
    if (isScalar && numberOf(least) == kInfinity && numberOf(greatest) == -kInfinity) return false;
    if (least.gt(greatest).any().item().toBool()) throw raised("AssertionError: min should be less than max");
    return true;
}

/// An error of quantising a histogram's bins, in float32 as PyTorch computes it. Mirrors `_compute_quantization_error`.
class HistogramError {
public:
    HistogramError(const at::Tensor& histogram, double binWidth, std::int64_t targetBins)
        : m_bins(histogram.size(0)), m_binWidth(binWidth), m_targetBins(targetBins), m_source(at::arange(m_bins)),
          m_density(histogram.div(binWidth)), m_ones(histogram.new_ones({m_bins})) {}

    double of(std::int64_t startBin, std::int64_t endBin) const {
        const double width =
            m_binWidth * static_cast<double>(endBin - startBin + 1) / static_cast<double>(m_targetBins);
        if (width == 0) return 0;
        const at::Tensor begin = m_source.sub(startBin).mul(m_binWidth), end = begin.add(m_binWidth);
        const at::Tensor beginBin = begin.div(width, "floor").clamp(0, m_targetBins - 1),
                         endBinOf = end.div(width, "floor").clamp(0, m_targetBins - 1);
        const at::Tensor half = at::scalar_tensor(width / 2, at::kFloat),
                         minusHalf = at::scalar_tensor(-width / 2, at::kFloat);
        at::Tensor norm = m_ones.new_zeros({m_bins});
        norm.add_(loss(begin.sub(beginBin.add(0.5).mul(width)), m_ones.mul(width / 2)));
        norm.add_(endBinOf.sub(beginBin).sub(1).mul(loss(minusHalf, half)));
        norm.add_(loss(minusHalf, end.sub(endBinOf.mul(width).add(width / 2))));
        return numberOf(norm.sum());
    }

private:
    at::Tensor loss(const at::Tensor& begin, const at::Tensor& end) const {
        return m_density.mul(end.mul(end).mul(end).sub(begin.mul(begin).mul(begin)).div(3));
    }

    std::int64_t m_bins;
    double m_binWidth;
    std::int64_t m_targetBins;
    at::Tensor m_source, m_density, m_ones;
};

QuantRange rangeOf(const ModuleCall& m) {
    QuantRange range;
    range.quantMin = m.integer("quant_min"), range.quantMax = m.integer("quant_max");
    const quant::ObserverTraits traits = quant::traitsOf(m.module());
    range.qscheme = traits.qscheme, range.dtype = traits.dtype;
    range.isCustom = m.has("has_customized_qrange") && m.flag("has_customized_qrange");
    range.eps = m.tensor("eps");
    return range;
}

Value fromHistogram(const ModuleCall& m) {
    const at::Tensor least = m.tensor("min_val"), greatest = m.tensor("max_val"), histogram = m.tensor("histogram");
    if (numberOf(least) == kInfinity && numberOf(greatest) == -kInfinity) return untouched();
    if (histogram.size(0) != m.integer("bins"))
        throw raised("AssertionError: The number of bins in histogram should be equal to the number of bins supplied "
                     "while making this observer");
    const auto [low, high] = bestRange(histogram, least, greatest, m.integer("dst_nbins"));
    return qparamsOf(low, high, rangeOf(m));
}

} // namespace

Value qparamsOf(const at::Tensor& least, const at::Tensor& greatest, const QuantRange& range) {
    if (!isValid(least, greatest)) return untouched();
    const at::Tensor zeros = least.new_zeros(least.sizes());
    const at::Tensor low = least.min(zeros), high = greatest.max(zeros);
    const auto steps = static_cast<double>(range.quantMax - range.quantMin);
    at::Tensor scale, zeroPoint;
    if (range.qscheme.ends_with("symmetric")) {
        scale = low.neg().max(high).div(steps / 2).max(range.eps);
        std::int64_t zero = 0;
        if (range.dtype == "torch.quint8" || range.dtype == "torch.uint8")
            zero = range.isCustom ? (range.quantMin + range.quantMax) >> 1 : 128; // `//` rounds down
        else if (range.dtype == "torch.uint16") zero = 1 << 15;
        zeroPoint = low.new_full(low.sizes(), zero, at::kLong);
    } else if (range.qscheme == "torch.per_channel_affine_float_qparams") {
        scale = greatest.sub(least).div(steps);
        scale = scale.where(scale.gt(range.eps), scale.new_ones(scale.sizes()));
        zeroPoint = least.mul(-1).div(scale);
    } else {
        scale = high.sub(low).div(steps).max(range.eps);
        zeroPoint = low.div(scale).round().to(at::kInt).neg().add(range.quantMin).clamp(range.quantMin, range.quantMax);
    }
    if (scale.dim() == 0) scale = scale.reshape({1});
    if (zeroPoint.dim() == 0) zeroPoint = zeroPoint.reshape({1});
    return pairOf(std::move(scale), std::move(zeroPoint));
}

std::pair<at::Tensor, at::Tensor> bestRange(const at::Tensor& histogram, const at::Tensor& least,
                                            const at::Tensor& greatest, std::int64_t targetBins) {
    const std::int64_t bins = histogram.size(0);
    const double total = numberOf(histogram.sum());
    const at::Tensor sums = histogram.cumsum(0).contiguous();
    const auto* sum = sums.const_data_ptr<float>();
    const HistogramError error(histogram, (numberOf(greatest) - numberOf(least)) / static_cast<double>(bins),
                               targetBins);
    constexpr double kStep = 1e-5;
    double alpha = 0, beta = 1, leastError = kInfinity;
    std::int64_t startBin = 0, endBin = bins - 1;
    while (alpha < beta) {
        const double nextAlpha = alpha + kStep, nextBeta = beta - kStep;
        const auto below = static_cast<float>(nextAlpha * total), above = static_cast<float>(nextBeta * total);
        std::int64_t left = startBin, right = endBin;
        while (left < endBin && sum[left] < below) ++left;
        while (right > startBin && sum[right] > above) --right;
        std::int64_t nextStart = startBin, nextEnd = endBin;
        if (left - startBin > endBin - right) nextStart = left, alpha = nextAlpha;
        else nextEnd = right, beta = nextBeta;
        if (nextStart == startBin && nextEnd == endBin) continue;
        const double loss = error.of(nextStart, nextEnd);
        if (loss > leastError) break;
        leastError = loss, startBin = nextStart, endBin = nextEnd;
    }
    const at::Tensor width = greatest.sub(least).div(bins);
    return {least.add(width.mul(startBin)), least.add(width.mul(endBin + 1))};
}

Value calculateQParams(const Module& observer, TensorStore& tensors) {
    using Kind = quant::ObserverKind;
    const auto kind = quant::observerKind(observer.qualifiedType());
    const Arguments none;
    const ModuleCall m(observer, tensors, none);
    switch (kind.value_or(Kind::Placeholder)) {
    case Kind::MinMax:
    case Kind::MovingAverageMinMax:
    case Kind::PerChannelMinMax:
    case Kind::MovingAveragePerChannelMinMax: return qparamsOf(m.tensor("min_val"), m.tensor("max_val"), rangeOf(m));
    case Kind::Histogram: return fromHistogram(m);
    case Kind::FixedQParams:
    case Kind::FixedQParamsFakeQuantize: return pairOf(m.tensor("scale"), m.tensor("zero_point"));
    case Kind::FakeQuantize:
    case Kind::FusedMovingAvgObsFakeQuantize:
        return calculateQParams(m.childModule("activation_post_process"), tensors);
    default: throw raised("Exception: calculate_qparams should not be called for " + observer.className);
    }
}

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fx::timing {
namespace {

/// The middle of `values`, which are put in another order.
double middle(std::vector<double>& values) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), at, values.end());
    return values.size() % 2 == 1 ? *at : (*at + *std::max_element(values.begin(), at)) / 2;
}

/// The probability that of n draws at least m are among a share p.
double binomialTail(std::size_t n, double p, std::size_t m) {
    if (p >= 1) return 1;
    const auto logFactorial = [](std::size_t k) { return std::lgamma(static_cast<double>(k) + 1); };
    double sum = 0;
    for (std::size_t j = m; j <= n; ++j)
        sum += std::exp(logFactorial(n) - logFactorial(j) - logFactorial(n - j) + static_cast<double>(j) * std::log(p) +
                        static_cast<double>(n - j) * std::log1p(-p));
    return sum;
}

/// The first of n sorted values that the m-th (from 1) of a resample is at most with this probability.
std::size_t placeOf(std::size_t n, std::size_t m, double probability) {
    std::size_t low = 1, high = n;
    while (low < high) {
        const std::size_t k = (low + high) / 2;
        if (binomialTail(n, static_cast<double>(k) / static_cast<double>(n), m) >= probability) high = k;
        else low = k + 1;
    }
    return low - 1;
}

/// Of each round.
std::vector<double> ratiosOf(std::span<const double> a, std::span<const double> b) {
    std::vector<double> ratios(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) ratios[i] = b[i] / a[i];
    return ratios;
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", share * 100);
    return text;
}

} // namespace

const char* verdictName(Verdict verdict) {
    constexpr const char* kNames[] = {"faster", "slower", "same", "too_noisy"};
    return kNames[static_cast<std::size_t>(verdict)];
}

double quantile(std::vector<double> values, double fraction) {
    std::sort(values.begin(), values.end());
    const double place = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

double median(std::vector<double> values) { return middle(values); }

Interval pairedRatioInterval(std::span<const double> a, std::span<const double> b) {
    std::vector<double> ratios = ratiosOf(a, b);
    std::sort(ratios.begin(), ratios.end());
    // Of an even number the two in the middle make the median: the lower one bounds it below, the upper one above.
    return {ratios[placeOf(ratios.size(), (ratios.size() + 1) / 2, 0.025)],
            ratios[placeOf(ratios.size(), ratios.size() / 2 + 1, 0.975)]};
}

bool mayReplace(const RatioTiming& ratio, std::size_t rounds, double noiseFloor) {
    return rounds >= kFewestRounds && ratio.ci95.high * kLeastGain <= 1 && 1 - ratio.ratio > noiseFloor;
}

RatioTiming compare(std::span<const double> a, std::span<const double> b, double noiseFloor) {
    RatioTiming out;
    if (a.empty()) return out;
    // Of pairs, like the interval: when the machine changes its speed halfway, the ratio of the medians of all samples
    // can lie outside.
    out.ratio = median(ratiosOf(a, b));
    out.ci95 = pairedRatioInterval(a, b);
    const double distance = std::abs(out.ratio - 1);
    if (a.size() < kFewestRounds) out.why = Message("timing.few_rounds", {{"count", a.size()}});
    else if (out.ci95.low >= 1 - kSameWithin && out.ci95.high <= 1 + kSameWithin) out.verdict = Verdict::Same;
    else if (out.ci95.low <= 1 && out.ci95.high >= 1)
        out.why = Message("timing.wide_interval",
                          {{"low", percent(out.ci95.low - 1)}, {"high", "+" + percent(out.ci95.high - 1)}});
    else if (distance <= noiseFloor) out.why = Message("timing.noise", {{"share", percent(noiseFloor)}});
    else out.verdict = out.ratio < 1 ? Verdict::Faster : Verdict::Slower;
    return out;
}

void summarize(VariantTiming& variant) {
    variant.medianMs = median(variant.samplesMs);
    variant.q1Ms = quantile(variant.samplesMs, 0.25), variant.q3Ms = quantile(variant.samplesMs, 0.75);
    variant.minMs = *std::min_element(variant.samplesMs.begin(), variant.samplesMs.end());
}

} // namespace fx::timing

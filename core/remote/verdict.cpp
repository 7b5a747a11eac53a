// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace fx {
namespace {

constexpr double kLargeError = 1e-2; ///< against the scale of an output: no rounding explains it
constexpr double kSeenError = 1e-4;  ///< against the scale of an output: what changed reaches it

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g", value);
    return text.data();
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kNamed = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i ? ", " : "") + names[i];
    return names.size() > kNamed ? text + " and " + std::to_string(names.size() - kNamed) + " more" : text;
}

std::string beyondTolerance(const VerifyReport& report) {
    std::int64_t beyond = 0, count = 0;
    double most = 0;
    for (const OutputDifference& output : report.outputs) {
        beyond += output.value.beyond, count += output.value.count;
        if (!output.value.close) most = std::max(most, output.value.maxAbs);
    }
    return std::to_string(beyond) + " of " + std::to_string(count) +
           " output values are beyond tolerance; the largest error is " + shortNumber(most);
}

std::string smallAgainstAtol(const VerifyReport& report) {
    const auto worst = std::max_element(report.outputs.begin(), report.outputs.end(), [](const auto& x, const auto& y) {
        return x.value.relativeToScale() < y.value.relativeToScale();
    });
    const ValueDifference& value = worst->value;
    return "the error " + shortNumber(value.maxAbs) + " is within atol " + shortNumber(value.tolerance.atol) +
           ", but the outputs themselves are at most " + shortNumber(value.scale);
}

} // namespace

void Evidence::add(const ValueDifference& output) {
    equal = equal && output.equal, close = close && output.close;
    count += output.count, nans += output.nansBoth;
    error = std::max(error, output.relativeToScale());
}

Judgement judge(const Evidence& evidence) {
    using Change = Evidence::Change;
    if (evidence.identical) return {Verdict::Equal, VerdictReason::SameModel};
    if (!evidence.comparable)
        return {Verdict::Different, evidence.sameShapes ? VerdictReason::NotComparable : VerdictReason::Shapes};
    if (!evidence.close) return {Verdict::Different, VerdictReason::BeyondTolerance};
    const Verdict measured = evidence.equal ? Verdict::Equal : Verdict::Close;
    if (evidence.sameOutputs) return {measured, VerdictReason::SameModel};
    const auto inconclusive = [](VerdictReason why) { return Judgement{Verdict::Inconclusive, why}; };
    if (evidence.count == 0) return inconclusive(VerdictReason::EmptyOutputs);
    if (evidence.nans == evidence.count) return inconclusive(VerdictReason::NanOutputs);
    if (evidence.change == Change::Same) return {measured, VerdictReason::None};
    if (evidence.allowed && evidence.error > kSeenError && evidence.error <= std::max(kLargeError, *evidence.allowed))
        return {measured, VerdictReason::None};
    if (evidence.error > kLargeError) return inconclusive(VerdictReason::SmallAgainstAtol);
    if (!evidence.outputsMove.value_or(true))
        return inconclusive(evidence.saturated ? VerdictReason::SaturatedOutputs : VerdictReason::ConstantOutputs);
    return inconclusive(evidence.change == Change::Lost ? VerdictReason::SignalLost : VerdictReason::NotReached);
}

std::string reasonText(VerdictReason code, const VerifyReport& report, const std::vector<std::string>& changed) {
    const std::string of = std::to_string(report.nodesDiffering) + " of " + std::to_string(report.nodesCompared);
    const std::string inside =
        report.nodesDiffering > 0 ? "; " + of + " nodes before them differ beyond the tolerance" : "";
    switch (code) {
    case VerdictReason::SmallAgainstAtol: return smallAgainstAtol(report);
    case VerdictReason::ConstantOutputs:
        return "the outputs do not depend on the inputs: other inputs give the same outputs" + inside;
    case VerdictReason::SaturatedOutputs:
        return "the outputs do not depend on the inputs: each is at the end of its range" + inside;
    case VerdictReason::NanOutputs: return "the outputs are NaN in both models, and nothing else";
    case VerdictReason::EmptyOutputs: return "the models return no values";
    case VerdictReason::SignalLost:
        return of + " nodes differ beyond the tolerance, but too little of that reaches the outputs";
    case VerdictReason::BeyondTolerance: return beyondTolerance(report);
    case VerdictReason::NotReached:
        return "these inputs do not reach what changed (" + listed(changed) + "): it gives other values for other data";
    default: return {};
    }
}

} // namespace fx

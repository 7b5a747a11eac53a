// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verdict.h"

#include "core/base/listed.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace fx {
namespace {

constexpr double kLargeError = 1e-2; ///< against the scale of an output: no rounding explains it
constexpr double kSeenError = 1e-4;  ///< against the scale of an output: what changed reaches it
constexpr std::size_t kNamed = 3;    ///< nodes or buffers that a sentence lists

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g", value);
    return text.data();
}

/// How many output values are beyond the tolerance, and by how much.
struct Beyond {
    std::int64_t beyond = 0, count = 0;
    double most = 0;

    explicit Beyond(const VerifyReport& report) {
        for (const OutputDifference& output : report.outputs) {
            beyond += output.value.beyond, count += output.value.count;
            if (!output.value.close) most = std::max(most, output.value.maxAbs);
        }
    }
};

Message smallAgainstAtol(const VerifyReport& report) {
    const auto worst = std::max_element(report.outputs.begin(), report.outputs.end(), [](const auto& x, const auto& y) {
        return x.value.relativeToScale() < y.value.relativeToScale();
    });
    const ValueDifference& value = worst->value;
    return Message("verify.small_against_atol", {{"error", shortNumber(value.maxAbs)},
                                                 {"atol", shortNumber(value.tolerance.atol)},
                                                 {"scale", shortNumber(value.scale)}});
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
    if (!evidence.close && !evidence.rounding) return {Verdict::Different, VerdictReason::BeyondTolerance};
    if (evidence.stateDiffers) return {Verdict::Different, VerdictReason::OtherState};
    if (evidence.inputsDiffer) return {Verdict::Different, VerdictReason::OtherInputs};
    if (evidence.stateLost) return {Verdict::Inconclusive, VerdictReason::LostState};
    const Verdict measured = evidence.equal && evidence.sameLeft ? Verdict::Equal : Verdict::Close;
    if (evidence.sameOutputs) return {measured, VerdictReason::SameModel};
    const auto inconclusive = [](VerdictReason why) { return Judgement{Verdict::Inconclusive, why}; };
    if (evidence.count == 0) return inconclusive(VerdictReason::EmptyOutputs);
    if (evidence.nans == evidence.count) return inconclusive(VerdictReason::NanOutputs);
    if (evidence.change == Change::Same)
        return {measured, evidence.close ? VerdictReason::None : VerdictReason::Rounding};
    if (evidence.allowed && evidence.error > kSeenError && evidence.error <= std::max(kLargeError, *evidence.allowed))
        return {measured, VerdictReason::None};
    if (evidence.error > kLargeError) return inconclusive(VerdictReason::SmallAgainstAtol);
    if (evidence.change == Change::OtherSizes) return inconclusive(VerdictReason::OtherSizes); // whatever these show
    if (!evidence.outputsMove.value_or(true))
        return inconclusive(evidence.saturated ? VerdictReason::SaturatedOutputs : VerdictReason::ConstantOutputs);
    switch (evidence.change) {
    case Change::NoData: return inconclusive(VerdictReason::NoData);
    case Change::Lost: return inconclusive(VerdictReason::SignalLost);
    case Change::NotFinite: return inconclusive(VerdictReason::NotFinite);
    case Change::OtherBoundary: return inconclusive(VerdictReason::OtherBoundary);
    case Change::OtherDecision: return inconclusive(VerdictReason::OtherDecision);
    case Change::OtherBranch: return inconclusive(VerdictReason::OtherBranch);
    default: return inconclusive(VerdictReason::NotReached);
    }
}

Message reasonText(VerdictReason code, const VerifyReport& report, const std::vector<std::string>& changed) {
    const MessageArgument differing("differing", report.nodesDiffering), compared("compared", report.nodesCompared);
    const bool inside = report.nodesDiffering > 0;
    const Beyond beyond(report);
    const MessageArgument many("beyond", beyond.beyond), of("count", beyond.count);
    const MessageArgument error("error", shortNumber(beyond.most));
    switch (code) {
    case VerdictReason::SmallAgainstAtol: return smallAgainstAtol(report);
    case VerdictReason::ConstantOutputs:
        return inside ? Message("verify.constant_outputs_inside", {differing, compared})
                      : Message("verify.constant_outputs");
    case VerdictReason::SaturatedOutputs:
        return inside ? Message("verify.saturated_outputs_inside", {differing, compared})
                      : Message("verify.saturated_outputs");
    case VerdictReason::NanOutputs: return Message("verify.nan_outputs");
    case VerdictReason::EmptyOutputs: return Message("verify.empty_outputs");
    case VerdictReason::SignalLost: return Message("verify.signal_lost", {differing, compared});
    case VerdictReason::BeyondTolerance:
        return beyond.beyond > 0 && beyond.most == 0 ? Message("verify.not_finite_in_one", {many, of})
                                                     : Message("verify.beyond_tolerance", {many, of, error});
    case VerdictReason::Rounding: return Message("verify.rounding", {many, of, error});
    case VerdictReason::NotReached: return Message("verify.not_reached", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::LostState:
        return Message("verify.lost_state", {{"buffers", listed(changed, kNamed)}, {"count", changed.size()}});
    case VerdictReason::NoData: return Message("verify.no_data", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::NotFinite: return Message("verify.not_finite", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::OtherSizes: return Message("verify.other_sizes", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::OtherBoundary: return Message("verify.other_boundary", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::OtherDecision: return Message("verify.other_decision", {{"nodes", listed(changed, kNamed)}});
    case VerdictReason::OtherBranch: return Message("verify.other_branch", {{"nodes", listed(changed, kNamed)}});
    default: return {};
    }
}

} // namespace fx

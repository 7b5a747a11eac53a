// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verify_report.h"

#include "core/base/python_text.h"
#include "core/diag/sides.h"

#include <algorithm>
#include <array>
#include <limits>

namespace fx {
namespace {

/// Three digits: "0.31", "2.1e-09".
std::string threeDigits(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

/// "with these weights: cannot tell, since …; with re-scaled weights: different, largest error 0.31"
Message rescaled(const Message& reason, const Probe& probe) {
    const MessageArgument told("reason", reason.text()), what("what", probe.what);
    const MessageArgument verdict("verdict", verdictName(probe.verdict));
    if (probe.reason.text().empty())
        return containing(Message("verify.probed", {told, what, verdict, {"error", threeDigits(probe.maxAbs)}}),
                          "reason", reason);
    const Message both("verify.probed_reason", {told, what, verdict, {"outcome", probe.reason.text()}});
    return containing(containing(both, "reason", reason), "outcome", probe.reason);
}

/// "with inputs ×100 the outputs differ: the largest error is 4; with the inputs as they are, they agree, but …"
Message different(const Message& reason, const Probe& probe) {
    const MessageArgument told("reason", reason.text()), what("what", probe.what);
    const Message all = probe.maxAbs == 0
                            ? Message("verify.probed_not_finite", {what, told})
                            : Message("verify.probed_different", {what, {"error", threeDigits(probe.maxAbs)}, told});
    return containing(all, "reason", reason);
}

} // namespace

double ValueDifference::relativeToScale() const {
    if (!comparable() || nansA != nansBoth || nansB != nansBoth) return std::numeric_limits<double>::infinity();
    if (maxAbs == 0) return 0;
    return scale > 0 ? maxAbs / scale : std::numeric_limits<double>::infinity();
}

const char* verdictName(Verdict verdict) {
    constexpr const char* names[] = {"equal", "close", "inconclusive", "different"};
    return names[static_cast<std::size_t>(verdict)];
}

const char* reasonName(VerdictReason reason) {
    constexpr const char* names[] = {
        "none",           "same_model",     "small_against_atol", "constant_outputs", "saturated_outputs",
        "nan_outputs",    "empty_outputs",  "signal_lost",        "not_reached",      "beyond_tolerance",
        "shapes",         "not_comparable", "rounding",           "not_finite",       "other_sizes",
        "other_boundary", "other_decision", "other_state",        "no_data",          "lost_state",
        "other_branch",   "other_inputs",   "other_data",         "not_run"};
    static_assert(std::size(names) == static_cast<std::size_t>(kLastVerdictReason) + 1);
    return names[static_cast<std::size_t>(reason)];
}

void addProbes(VerifyReport& report, std::vector<Probe> probes) {
    report.probes = std::move(probes);
    if (report.verdict != Verdict::Inconclusive) return;
    const auto differs = [](const Probe& probe) { return probe.verdict == Verdict::Different; };
    const auto own = std::find_if(report.probes.begin(), report.probes.end(), [&](const Probe& probe) {
        return differs(probe) && probe.kind != Probe::Kind::RescaledWeights;
    });
    if (own != report.probes.end()) {
        report.verdict = Verdict::Different;
        report.code = VerdictReason::BeyondTolerance;
        report.reason = different(report.reason, *own);
        if (own->counterexample) report.counterexample = own->counterexample;
        return;
    }
    const bool isKnown = report.reason.is("verify.other_data") || report.reason.is("verify.other_call");
    const auto other = std::find_if(report.probes.begin(), report.probes.end(), [](const Probe& probe) {
        return probe.kind == Probe::Kind::RescaledWeights && probe.verdict != Verdict::Inconclusive;
    });
    if (other != report.probes.end() && !isKnown) report.reason = rescaled(report.reason, *other);
}

} // namespace fx

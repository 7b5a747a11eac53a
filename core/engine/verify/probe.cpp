// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/probe.h"

#include "core/engine/machine.h"
#include "core/engine/verify/inputs/alter.h"

#include <algorithm>

namespace fx::engine {
namespace {

std::vector<Probe> planned(std::uint64_t seed) {
    std::vector<Probe> probes;
    for (const std::uint64_t next : {seed + 1, seed + 2})
        probes.push_back({Probe::Kind::Seed, "seed " + std::to_string(next), {}, 0, 0, next, 1, {}});
    for (const auto& [scale, text] :
         {std::pair(10.0, "10"), std::pair(100.0, "100"), std::pair(0.01, "0.01"), std::pair(1e-6, "1e-6")})
        probes.push_back({Probe::Kind::InputScale, std::string("inputs ×") + text, {}, 0, 0, seed, scale, {}});
    return probes;
}

void run(Probe& probe, const SidesOf& sides, const VerifyOptions& options) {
    const auto made = [&] {
        auto both = sides(probe.seed);
        if (probe.kind == Probe::Kind::InputScale)
            for (VerifySide* side : {&both.first, &both.second})
                side->inputs = altered(side->inputs, scaledBy(probe.scale));
        return both;
    };
    VerifyOptions own = options;
    own.further = false;
    own.freshA = [&] { return made().first; };
    const auto [a, b] = made();
    seed(probe.seed);
    const VerifyReport report = verify(a, b, own);
    probe.verdict = report.verdict;
    if (report.verdict == Verdict::Inconclusive) probe.reason = report.reason;
    if (report.verdict == Verdict::Different) probe.counterexample = report.counterexample;
    for (const OutputDifference& output : report.outputs) {
        probe.maxAbs = std::max(probe.maxAbs, output.value.maxAbs);
        probe.maxRel = std::max(probe.maxRel, output.value.maxRel);
    }
}

} // namespace

std::vector<Probe> probe(const SidesOf& sides, const VerifyOptions& options, std::uint64_t seed) {
    std::vector<Probe> plan = planned(seed), done;
    for (Probe& each : plan) {
        options.progress.check();
        options.progress.report(each.what, static_cast<double>(done.size()) / static_cast<double>(plan.size()));
        try {
            run(each, sides, options);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Run) throw;
            each.verdict = Verdict::Inconclusive,
            each.reason = Message("verify.cannot_run", {{"reason", error.what()}});
        }
        done.push_back(each);
        if (each.verdict == Verdict::Different) break;
    }
    return done;
}

} // namespace fx::engine

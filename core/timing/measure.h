// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/timing/timing_result.h"

#include <functional>

namespace fx::timing {

/// A workload to time: performs `runs` runs and returns their total milliseconds.
using Subject = std::function<double(std::size_t runs)>;

/// The time budget and sampling of a session.
struct SessionOptions {
    double seconds = 10; ///< for warm-up and rounds together, without cold runs; there is always at least one round
    double blockMs = 10; ///< a sample lasts at least this long
    std::size_t mostRounds = 300; ///< upper limit on rounds
    std::size_t fewestRounds = 1; ///< taken even after `seconds`, but not after `mostSeconds`
    double mostSeconds = 0;       ///< includes warm-up
    std::uint64_t seed = 0;       ///< seed for the order within rounds
    double workShare = 1;         ///< fraction of the reported progress that this session covers
    double enough = 0.004;        ///< stop early if all intervals are narrower than this on both sides; 0: never
};

/// The measurements of a session; `variants` have no names.
struct SessionResult {
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios; ///< each later subject against the first
    double noiseFloor = 0;           ///< deviation from 1 of the first subject against itself
    std::size_t rounds = 0;          ///< number of samples per subject
};

/// Times all subjects and compares them with the first one.
///
///     cold    one run each, reported separately
///     warm-up each until two halves of its last blocks agree, for at most a fifth of the time
///     rounds  every subject once, and the first a second time as its own control, in random order:
///               | B | A' | A |   | A | B | A' |   | A' | A | B |  ...
///
/// A sample is the mean of a block of runs. A changing load affects all members of a round alike; A' against A shows
/// how much equal models differ (the noise floor). The subjects read the clock, so tests can use artificial times.
/// Throws Error{Cancelled} between blocks, and errors of the subjects.
SessionResult measure(const std::vector<Subject>& subjects, const SessionOptions& options,
                      const Progress& progress = {});

} // namespace fx::timing

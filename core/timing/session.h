// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/timing/timing_result.h"

#include <functional>

namespace fx::timing {

/// Something to time: performs the given number of runs and returns their total milliseconds.
using Subject = std::function<double(std::size_t runs)>;

/// How long a timing session may take and how it samples.
struct SessionOptions {
    double seconds = 10; ///< for warm-up and rounds together, without cold runs; there is always at least one round
    double blockMs = 10; ///< a sample lasts at least this long
    std::size_t mostRounds = 300;
    std::size_t fewestRounds = 1; ///< taken even if `seconds` are over, unless `mostSeconds` are too
    double mostSeconds = 0;       ///< warm-up included
    std::uint64_t seed = 0;       ///< seed for the order within rounds
    double workShare = 1;         ///< how much of the work that is reported it is
    double enough = 0.004;        ///< stops early if all intervals are narrower than this on both sides; 0 for never
};

/// The measurements of a session; `variants` have no names yet.
struct SessionResult {
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios;
    double noiseFloor = 0;
    std::size_t rounds = 0;
};

/// Times subjects against the first of them.
///
///     cold    one run each, reported separately
///     warm-up each until two halves of its last blocks agree, for at most a fifth of the time
///     rounds  every subject once, and the first a second time as its own control, in random order:
///               | B | A' | A |   | A | B | A' |   | A' | A | B |  ...
///
/// A sample is the mean of a block of runs. A changing load affects all members of a round alike; A' against A shows
/// how much equal models differ (the noise floor). The subjects provide the clock, so that tests can use artificial
/// times. Throws Error{Cancelled} between blocks, and errors of the subjects.
SessionResult measure(const std::vector<Subject>& subjects, const SessionOptions& options,
                      const Progress& progress = {});

} // namespace fx::timing

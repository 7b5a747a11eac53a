// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/timing/timing_result.h"

#include <functional>

namespace fx::timing {

/// Something to time: runs so many times one after the other, and gives the milliseconds that they took together.
using Subject = std::function<double(std::size_t runs)>;

struct SessionOptions {
    double seconds = 10; ///< for warm-up and rounds together, without cold runs; one round is always made
    double blockMs = 10; ///< a sample lasts at least this long
    std::size_t mostRounds = 300;
    std::uint64_t seed = 0; ///< of the order within rounds
    double enough = 0.004;  ///< ends early when all intervals are narrower than this to both sides; 0: never
};

/// What a session measured; `variants` have no names yet.
struct SessionResult {
    std::vector<VariantTiming> variants;
    std::vector<RatioTiming> ratios;
    double noiseFloor = 0;
    std::size_t rounds = 0;
};

/// Times subjects against the first of them.
///
///     cold    one run each, told apart
///     warm-up each until two halves of its last blocks agree, for a fifth of the time at most
///     rounds  every subject once, and the first a second time as its own control, in an order drawn anew:
///               | B | A' | A |   | A | B | A' |   | A' | A | B |  ...
///
/// A sample is the mean of a block of runs. Load that comes and goes meets all members of a round alike; A' against A
/// tells how far equal models come out apart (the noise floor). The clock is that of the subjects, so that a session
/// can be tried with made-up times. Throws Error{Cancelled} between blocks; whatever subjects throw.
SessionResult measure(const std::vector<Subject>& subjects, const SessionOptions& options,
                      const Progress& progress = {});

} // namespace fx::timing

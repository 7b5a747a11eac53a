// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <span>

namespace fx::timing {

/// The value below which `fraction` of the sorted values lie, between neighbours by interpolation (numpy's default).
/// Not empty.
double quantile(std::vector<double> values, double fraction);
double median(std::vector<double> values);

/// The 95 % interval of the median of b[i] / a[i], by bootstrap over rounds (percentile method).
///
/// Pairs come from the same round, so that what slows a machine for seconds (other processes, heat) slows both and
/// divides out. For a median nothing needs to be drawn: in a resample of n ratios the m-th is at most the k-th of the
/// originals exactly when m or more of n draws are among the first k, which is a binomial tail (Efron 1979; Maritz and
/// Jarrett 1978). Spans are of one size and not empty.
Interval pairedRatioInterval(std::span<const double> a, std::span<const double> b);

inline constexpr double kSameWithin = 0.02;     ///< an interval inside 1 ± this is "same"
inline constexpr std::size_t kFewestRounds = 8; ///< below this an interval says nothing

/// Compares two variants. `noiseFloor`: how far a model against itself reached from 1 in the same session; a difference
/// that is not larger than that is not called one.
RatioTiming compare(std::span<const double> a, std::span<const double> b, double noiseFloor);

/// Median, quartiles and minimum of `samplesMs`, which is not empty.
void summarize(VariantTiming& variant);

} // namespace fx::timing

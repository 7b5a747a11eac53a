// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <span>

namespace fx::timing {

/// Returns the value below which `fraction` of the values lie, with linear interpolation (numpy's default). `values`
/// must not be empty.
double quantile(std::vector<double> values, double fraction);
/// Returns the 0.5 quantile.
double median(std::vector<double> values);

/// Returns the 95 % interval of the median of b[i] / a[i], by bootstrap over rounds (percentile method).
///
/// Pairs come from the same round, so that slowdowns of the machine (other processes, heat) affect both and cancel
/// out. For a median, no resampling is needed: in a resample of n ratios the m-th is at most the k-th of the originals
/// exactly if m or more of n draws are among the first k, which is a binomial tail (Efron 1979; Maritz and Jarrett
/// 1978). Spans must have equal size and not be empty.
Interval pairedRatioInterval(std::span<const double> a, std::span<const double> b);

inline constexpr double kSameWithin = 0.02;     ///< an interval inside 1 ± this is "same"
inline constexpr std::size_t kFewestRounds = 8; ///< fewer rounds give no meaningful interval

/// True if variant b may replace a because it is faster: with 95 % confidence b is at least `kLeastGain` times as fast
/// as a, and the median of b / a is below 1 by more than `noiseFloor`. Never true with fewer than `kFewestRounds`.
bool mayReplace(const RatioTiming& ratio, std::size_t rounds, double noiseFloor);
/// The speed of a replacement, relative to the replaced variant, that its interval must guarantee.
inline constexpr double kLeastGain = 0.99;

/// Compares two variants. `noiseFloor` is the deviation from 1 of a model against itself in the same session; smaller
/// differences are not reported as such.
RatioTiming compare(std::span<const double> a, std::span<const double> b, double noiseFloor);

/// Computes median, quartiles and minimum of `samplesMs`, which must not be empty.
void summarize(VariantTiming& variant);

} // namespace fx::timing

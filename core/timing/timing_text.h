// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

namespace fx::timing {

/// Returns the result as text, as printed by `lancet bench` and copied by the window. Lines end with newlines. Lists
/// the `mostNodes` slowest nodes and the total of the others.
std::string toText(const BenchResult& result, std::size_t mostNodes = 20);
/// Returns "12.3 % slower (ratio 1.123, 95 % interval 1.115 to 1.131)", "same (…)", "too noisy to tell (…): why".
std::string verdictText(const RatioTiming& ratio);
/// True if the sum of node times differs from the median run by more than 5 %. Node times come from other runs: the
/// fastest third of those whose nodes were timed.
bool differsFromMedian(const VariantTiming& variant, const NodeReport& report);
/// Returns 0.0123 ms as "12.3 µs", with three significant digits.
std::string durationText(double ms);

} // namespace fx::timing

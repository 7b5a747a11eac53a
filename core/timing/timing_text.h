// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

namespace fx::timing {

/// The result as readable text, printed by `lancet bench` and copied by the window. Lines end with newlines. Shows the
/// longest `mostNodes` nodes and the total of the others.
std::string toText(const BenchResult& result, std::size_t mostNodes = 20);
/// "12.3 % slower (ratio 1.123, 95 % interval 1.115 to 1.131)", "same (…)", "too noisy to tell (…): why"
std::string verdictText(const RatioTiming& ratio);
/// Whether the times of nodes add up to clearly more or less than the median run: they come from other runs, the
/// fastest third of those whose nodes were timed.
bool differsFromMedian(const VariantTiming& variant, const NodeReport& report);
/// 0.0123 ms as "12.3 µs"; three significant digits.
std::string durationText(double ms);

} // namespace fx::timing

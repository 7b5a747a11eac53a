// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/verify_verdict.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// Returns the verdict on the time of the current version, with its numbers.
VerifyVerdict timingVerdictOf(const TimingSession& session);
/// Returns the verdict on a comparison in `result`: "faster", "slower", "same", "too noisy to tell", "too few rounds".
VerifyVerdict timingVerdictOf(const fx::timing::BenchResult& result, const fx::timing::RatioTiming& ratio);
/// True if there are too few samples to estimate their spread: then there is no interval, IQR or verdict.
bool tooFewRounds(const fx::timing::BenchResult& result);

/// Describes the comparison of modified and original in sentences, the first runs, warnings, and the machine, as HTML
/// for `runStyle`.
QString timingHtml(const fx::timing::BenchResult& result);
/// Formats milliseconds: "12.3 ms".
QString timeText(double ms);
/// Formats operations: "4.1 GFLOP", "312 kFLOP".
QString flopsText(double flops);
QString percentText(double share); ///< Formats a fraction as a percentage.
/// Returns the name of a call in timings: only the class for PyTorch's own modules.
QString typeName(const std::string& target);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/verify_text.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// The verdict on the time of the current version, with its numbers.
VerifyVerdict timingVerdictOf(const TimingSession& session);
/// The verdict on a comparison in `result`: "faster", "slower", "same", "too noisy to tell", "too few rounds".
VerifyVerdict timingVerdictOf(const fx::timing::BenchResult& result, const fx::timing::RatioTiming& ratio);
/// Whether there are too few samples to estimate their spread: then there is no interval, IQR or verdict.
bool tooFewRounds(const fx::timing::BenchResult& result);

/// The comparison of modified and original in sentences, first runs, warnings, and the machine, as HTML for `runStyle`.
QString timingHtml(const fx::timing::BenchResult& result);
/// "12.3 ms"
QString timeText(double ms);
/// "4.1 GFLOP", "312 kFLOP"
QString flopsText(double flops);
QString percentText(double share);
/// The name of a call in timings: only the class for PyTorch's own modules.
QString typeName(const std::string& target);

} // namespace ui

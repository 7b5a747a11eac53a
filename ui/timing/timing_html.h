// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/verify_text.h"
#include "ui/timing/timing_session.h"

namespace ui {

/// What is known of the time of the current version, in a word and its numbers.
VerifyVerdict timingVerdictOf(const TimingSession& session);
/// Of a comparison in `result`: "faster", "slower", "same", "too noisy to tell", "too few rounds".
VerifyVerdict timingVerdictOf(const fx::timing::BenchResult& result, const fx::timing::RatioTiming& ratio);
/// Whether its samples say nothing of how far they scatter: there is no interval, IQR or verdict then.
bool tooFewRounds(const fx::timing::BenchResult& result);

/// How modified and original compare in sentences, first runs, what casts doubt, and the machine, as HTML for
/// `runStyle`.
QString timingHtml(const fx::timing::BenchResult& result);
/// "12.3 ms"
QString timeText(double ms);
/// "4.1 GFLOP", "312 kFLOP"
QString flopsText(double flops);
QString percentText(double share);
/// What a node calls, as a timing names it: PyTorch's own modules by their class alone.
QString typeName(const std::string& target);

} // namespace ui

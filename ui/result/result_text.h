// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"
#include "ui/result/result_session.h"
#include "ui/run/verify_verdict.h"

#include <array>
#include <chrono>

namespace ui {

/// One answer of the card: a word in its colour, and the evidence.
struct ResultRow {
    VerifyVerdict pill; ///< the answer
    QString detail;     ///< the evidence
};

/// The result of the edit that created the current version, in words.
struct ResultText {
    /// The questions of the card.
    enum class Answer { Right, Sure, Faster, Changed };
    static constexpr std::size_t kRows = 4; ///< number of answers

    QString title;                     ///< the effect of the edit; empty: the current version is the original
    QString about;                     ///< which versions are compared, if that is not obvious; may be empty
    std::array<ResultRow, kRows> rows; ///< by Answer
    QString line;        ///< "9 nodes changed · bit for bit on these inputs": beside the badges of the short form
    bool isGood = false; ///< equal or close: nothing to investigate
    bool mayTime = false, mayProbe = false, isProbing = false; ///< the possible actions
    bool maySearch = false;                                    ///< further inputs can increase the certainty
    std::shared_ptr<const fx::ValueTree> counterexample;       ///< inputs that show a difference; null: none

    /// The row of an answer.
    const ResultRow& row(Answer answer) const { return rows[static_cast<std::size_t>(answer)]; }
    /// The row of an answer.
    ResultRow& row(Answer answer) { return rows[static_cast<std::size_t>(answer)]; }
};
ResultText resultText(const ResultSession& session); ///< Describes the current version of a session.
/// Describes how much faster a version is, with its interval. Shows a factor without hedging only if the interval
/// supports it.
ResultRow speedRow(const fx::timing::RatioTiming& ratio, const QString& detail);

/// Returns "now", "8 s ago", "3 min ago", then the time of day.
QString ageText(std::chrono::system_clock::time_point then, std::chrono::system_clock::time_point now);

} // namespace ui

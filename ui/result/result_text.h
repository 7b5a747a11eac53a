// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"
#include "ui/result/result_session.h"
#include "ui/run/verify_text.h"

#include <array>
#include <chrono>

namespace ui {

/// One answer of the card: a word in its colour, and what it rests on.
struct ResultRow {
    VerifyVerdict pill;
    QString detail;
};

/// What is known of the edit that made the current version, in words.
struct ResultText {
    enum class Answer { Right, Sure, Faster, Changed };
    static constexpr std::size_t kRows = 4;

    QString title; ///< what the edit did; empty: the current version is the original
    QString about; ///< what is compared with what, where that is not plain; may be empty
    std::array<ResultRow, kRows> rows;
    QString line;        ///< "9 nodes changed · bit for bit on these inputs": beside the pills of the short form
    bool isGood = false; ///< equal or close: nothing to look into
    bool mayTime = false, mayProbe = false, isProbing = false;

    const ResultRow& row(Answer answer) const { return rows[static_cast<std::size_t>(answer)]; }
    ResultRow& row(Answer answer) { return rows[static_cast<std::size_t>(answer)]; }
};
ResultText resultText(const ResultSession& session);
/// How much faster a version is, with its interval. A factor stands alone only if the interval supports it.
ResultRow speedRow(const fx::timing::RatioTiming& ratio, const QString& detail);

/// "now", "8 s ago", "3 min ago", then the time of day.
QString ageText(std::chrono::system_clock::time_point then, std::chrono::system_clock::time_point now);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/passes/passes_session.h"
#include "ui/widgets/pill_delegate.h"

namespace ui {

/// The pill of a row.
struct RowStatus {
    QString text;                      ///< "2 rewrites · equal"
    PillKind kind = PillKind::Neutral; ///< its colours
};
/// Returns the pill of a pass in the list.
RowStatus rowStatus(const PassesSession* session, std::optional<std::size_t> pass, bool ticked);
/// Returns the pill of a step: "different, largest error 0.3".
RowStatus stepVerdict(const PassesSession& session, const PassStep& step);
/// Returns the title of the current step: "Rewrite 3 of 8 · relu_2".
QString stepTitle(const PassesSession& session);
/// Returns the time of a step: "0.41 ms · model 1.18× (1.12 to 1.24)".
QString stepFacts(const PassesSession& session, const PassStep& step);
/// True if `run` was a run of `pass`, which may have been replaced in the list since.
bool isRunOf(const RecordedPass& run, const PassChoice& pass);
QString rowToolTip(const PassChoice& pass); ///< Returns the tooltip of a pass in the list.

} // namespace ui

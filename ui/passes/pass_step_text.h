// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/passes/passes_session.h"
#include "ui/widgets/pill_delegate.h"

namespace ui {

/// What the pill of a row says.
struct RowStatus {
    QString text; ///< "2 rewrites · equal"
    PillKind kind = PillKind::Neutral;
};
RowStatus rowStatus(const PassesSession* session, std::optional<std::size_t> pass, bool ticked);
/// The same for a step: "different, largest error 0.3".
RowStatus stepVerdict(const PassesSession& session, const PassStep& step);
/// "Rewrite 3 of 8 · relu_2"
QString stepTitle(const PassesSession& session);
/// "0.41 ms · model 1.18× (1.12 to 1.24)"
QString stepFacts(const PassesSession& session, const PassStep& step);
/// Whether this was a run of the pass, which may have been exchanged since.
bool isRunOf(const RecordedPass& run, const PassChoice& pass);
QString rowToolTip(const PassChoice& pass);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/widgets/theme.h"

class QLabel;

namespace ui {

/// A verdict in the words and the colour of the chip.
struct VerifyVerdict {
    QString word;                       ///< "close"
    QString detail;                     ///< "largest error 3.1e-06"; may be empty
    Theme::Role Theme::*role = nullptr; ///< ok, warning or error; null: neutral
};
VerifyVerdict verdictOf(const RunSession& session);        ///< Returns the verdict on the current version.
VerifyVerdict verdictOf(const Verification& verification); ///< Returns the verdict of a verification.
/// Returns only word and colour.
VerifyVerdict verdictOf(fx::Verdict verdict);
/// Returns the verdict on any version of the session; null: it was not verified.
VerifyVerdict verdictOf(const RunSession& session, const Verification* known);
/// "in training mode" for a mode that was chosen for the runs; empty for that of the model.
QString chosenMode(fx::RunMode mode);
/// Shows the verdict as a badge in its colours; without a role as a heading.
void showPill(QLabel& label, const VerifyVerdict& verdict);
/// Returns the class of the colour in `runStyle`: "ok", "warning", "error", "muted".
const char* htmlClass(const VerifyVerdict& verdict);
/// Returns the verdict that replaces an error if the inputs are only guessed and no version has accepted them.
VerifyVerdict guessVerdict(const RunSession& session);
/// Describes the same with a link `inputs:`, followed by the error, as HTML for `runStyle`.
QString guessHtml(const RunSession& session, const fx::Error& error);

/// Replaces A and B of the command line in a message: "1×8 in the original, 1×4 in the current version".
std::string textOfSides(const fx::Message& message);

/// Describes outputs, the first difference, probes and remarks as HTML. Links: `node:NAME`, `inputs:`.
QString reportHtml(const fx::VerifyReport& report, const fx::Graph& graph);
/// Explains why a model could not be run, with the node and the remedy.
QString runErrorHtml(const fx::Error& error, const fx::Graph& graph);
/// Lists the verdicts of all versions of the document, the last first; links `version:INDEX`.
QString verifyHistoryHtml(const RunSession& session);
/// Returns the style sheet of these texts, in the colours of the theme.
QString runStyle();

/// Formats an error: "3.1e-06".
QString errorNumber(double value);

} // namespace ui

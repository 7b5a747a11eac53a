// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/widgets/theme.h"

class QLabel;

namespace ui {

/// What a verification comes to, in the words and the colour of the chip.
struct VerifyVerdict {
    QString word;                       ///< "close"
    QString detail;                     ///< "largest error 3.1e-06"; may be empty
    Theme::Role Theme::*role = nullptr; ///< ok, warning or error; null: none
};
VerifyVerdict verdictOf(const RunSession& session);
VerifyVerdict verdictOf(const Verification& verification);
/// The word and the colour alone.
VerifyVerdict verdictOf(fx::Verdict verdict);
/// Of any version of the session; null: it was not verified.
VerifyVerdict verdictOf(const RunSession& session, const Verification* known);
/// The verdict as a badge in its colours; without a role a heading.
void showPill(QLabel& label, const VerifyVerdict& verdict);
/// What `runStyle` calls its colour: "ok", "warning", "error", "muted".
const char* htmlClass(const VerifyVerdict& verdict);
/// What is said instead of an error when the inputs were only guessed and nothing has ever fitted them.
VerifyVerdict guessVerdict(const RunSession& session);
/// The same with a link `inputs:`, as HTML for `runStyle`; the error follows.
QString guessHtml(const RunSession& session, const fx::Error& error);

/// "1×8 in the original, 1×4 in the current version": what the command line says of A and B.
std::string textOfSides(const fx::Message& message);

/// Outputs, first difference, what was tried further and remarks as HTML. Links: `node:NAME`, `inputs:`.
QString reportHtml(const fx::VerifyReport& report, const fx::Graph& graph);
/// Why a model could not be run, with the node and what to do.
QString runErrorHtml(const fx::Error& error, const fx::Graph& graph);
/// The verdicts of all versions of the document, the last one first; links `version:INDEX`.
QString verifyHistoryHtml(const RunSession& session);
/// The style sheet that these are written for, in the colours of the theme.
QString runStyle();

/// "3.1e-06"
QString errorNumber(double value);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/verify_verdict.h"

#include "core/diag/sides.h"
#include "core/module/training_mode.h"
#include "ui/document/node_facts.h"
#include "ui/run/input_text.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/role.h"

#include <QCoreApplication>
#include <QLabel>
#include <QLocale>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {
struct VerifyText {
    Q_DECLARE_TR_FUNCTIONS(ui::VerifyText)
};

QString escaped(const std::string& text, int limit = 300) { return elided(text, limit).toHtmlEscaped(); }
QString escapedLines(const std::string& text, int limit = 300) { return elidedLines(text, limit).toHtmlEscaped(); }
QString paragraph(const QString& html, const char* kind = nullptr) {
    return QStringLiteral("<p%1>%2</p>")
        .arg(kind ? QStringLiteral(" class='%1'").arg(QLatin1String(kind)) : QString(), html);
}

/// A link when the node is in the graph, else its name.
QString nodeName(const std::string& name, const fx::Graph& graph) {
    if (graph.find(name) == fx::kNoNode) return QStringLiteral("<code>%1</code>").arg(escaped(name));
    return QStringLiteral("<a href='node:%1'><code>%2</code></a>")
        .arg(QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(name))), escaped(name));
}

QString wordOf(const fx::ValueDifference& value) {
    return !value.comparable() ? VerifyText::tr("not comparable")
           : value.equal       ? VerifyText::tr("equal")
           : value.close       ? VerifyText::tr("close")
                               : VerifyText::tr("different");
}
const char* kindOf(const fx::ValueDifference& value) {
    return value.comparable() && (value.close || value.equal) ? "ok" : "error";
}

double largest(const fx::VerifyReport& report) {
    double most = 0;
    for (const fx::OutputDifference& output : report.outputs) most = std::max(most, output.value.maxAbs);
    return most;
}

/// How much was shown: outputs that are equal in value need not be so in each bit.
bool isBitForBit(const fx::VerifyReport& report) {
    return std::all_of(report.outputs.begin(), report.outputs.end(),
                       [](const fx::OutputDifference& output) { return output.value.equal; });
}

QString probeRow(const fx::Probe& probe) {
    const VerifyVerdict verdict = verdictOf(probe.verdict);
    return QStringLiteral("<tr><td>%1</td><td class='%2'>%3</td><td align='right'><code>%4</code></td><td "
                          "class='muted'>%5</td></tr>")
        .arg(escaped(probe.what), QLatin1String(htmlClass(verdict)), verdict.word,
             probe.reason.text().empty() ? errorNumber(probe.maxAbs) : QString(),
             escapedLines(textOfSides(probe.reason)));
}

/// `shows`: whether outputs of this model can show a difference; if not, being close proves nothing.
/// `isNoise`: of a quantised model, which is expected to be beyond tolerance.
QString outputRow(std::size_t index, const fx::OutputDifference& output, bool shows, bool isNoise) {
    const fx::ValueDifference& v = output.value;
    const QString name = output.path.empty()
                             ? VerifyText::tr("output") + (index ? u' ' + QString::number(index) : QString())
                             : escaped(output.path);
    QString numbers =
        QStringLiteral(
            "<td align='right'><code>%1</code></td><td align='right'><code>%2</code></td><td align='right'>%3</td>")
            .arg(errorNumber(v.maxAbs), errorNumber(v.maxRel),
                 v.beyond > 0
                     ? VerifyText::tr("%1 of %2")
                           .arg(QLocale().toString(qlonglong(v.beyond)), QLocale().toString(qlonglong(v.count)))
                     : VerifyText::tr("none"));
    const bool provesNothing = v.close && !shows, isExpected = isNoise && !v.close;
    if (!v.comparable()) numbers = QStringLiteral("<td colspan='3'>%1</td>").arg(escapedLines(textOfSides(v.reason)));
    return QStringLiteral("<tr><td><code>%1</code></td><td class='muted'>%2 %3</td>%4<td class='%5'>%6</td></tr>")
        .arg(name, v.dtype.starts_with("torch.") ? shapeToText(v.sizes) : QString(), plainType(v.dtype), numbers,
             QLatin1String(isExpected      ? "muted"
                           : provesNothing ? "warning"
                                           : kindOf(v)),
             isExpected                  ? VerifyText::tr("quantised")
             : provesNothing && !v.equal ? VerifyText::tr("within tolerance")
                                         : wordOf(v));
}
} // namespace

QString errorNumber(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return QStringLiteral("∞");
    return value == 0 ? QStringLiteral("0") : QString::number(value, 'e', 1);
}

VerifyVerdict verdictOf(fx::Verdict verdict) {
    switch (verdict) {
    case fx::Verdict::Equal: return {VerifyText::tr("equal"), {}, &Theme::ok};
    case fx::Verdict::Close: return {VerifyText::tr("close"), {}, &Theme::ok};
    case fx::Verdict::Inconclusive: return {VerifyText::tr("inconclusive"), {}, &Theme::warning};
    case fx::Verdict::Different: return {VerifyText::tr("different"), {}, &Theme::error};
    }
    return {};
}

namespace {
/// A quantised model is expected to differ: what counts is how large its noise is.
VerifyVerdict quantisedVerdict(double sqnr) {
    constexpr double kLoses = 20; // dB, as in the panel Quantise
    return {VerifyText::tr("quantised"),
            VerifyText::tr("SQNR %1 dB on these inputs").arg(QString::number(sqnr, 'f', 1)),
            sqnr < kLoses ? &Theme::warning : nullptr};
}
} // namespace

VerifyVerdict verdictOf(const Verification& verification) {
    if (verification.originalFails())
        return {VerifyText::tr("inputs do not fit"),
                VerifyText::tr("the original fails on these inputs: %1").arg(linesFromCore(verification.error->what())),
                &Theme::warning};
    if (!verification.report)
        return {VerifyText::tr("cannot run"),
                verification.error ? linesFromCore(verification.error->what()) : QString(), &Theme::error};
    const fx::VerifyReport& report = *verification.report;
    if (report.isQuantisationNoise()) return quantisedVerdict(*report.sqnr);
    VerifyVerdict verdict = verdictOf(report.verdict);
    if (report.identical) verdict.detail = VerifyText::tr("same graph and weights");
    else if (report.verdict == fx::Verdict::Equal && isBitForBit(report))
        verdict.detail = VerifyText::tr("bit for bit on these inputs");
    else if (report.agrees())
        verdict.detail = VerifyText::tr("largest error %1 on these inputs").arg(errorNumber(largest(report)));
    else
        verdict.detail = !report.reason.text().empty()
                             ? linesFromCore(textOfSides(report.reason))
                             : VerifyText::tr("largest error %1").arg(errorNumber(largest(report)));
    return verdict;
}

QString chosenMode(fx::RunMode mode) {
    return mode == fx::RunMode::AsSaved ? QString()
           : mode == fx::RunMode::Train ? VerifyText::tr("in training mode")
                                        : VerifyText::tr("in evaluation mode");
}

VerifyVerdict verdictOf(const RunSession& session, const Verification* known) {
    if (!known) return {VerifyText::tr("not verified"), {}, nullptr};
    if (known->error && session.guessDoesNotFit()) return guessVerdict(session);
    VerifyVerdict verdict = verdictOf(*known);
    if (!known->report || known->report->identical) return verdict;
    if (const QString mode = chosenMode(session.inputs().mode); !mode.isEmpty())
        verdict.detail += QStringLiteral("; ") + mode;
    if (!known->report->agrees()) return verdict;
    for (const auto& [dtype, tolerance] : session.tolerances().types)
        verdict.detail += VerifyText::tr("; with rtol %1, atol %2 for %3")
                              .arg(QString::number(tolerance.rtol), QString::number(tolerance.atol),
                                   fromCore(dtype).remove(QLatin1String("torch.")));
    return verdict;
}

void showPill(QLabel& label, const VerifyVerdict& verdict) {
    setRole(label, verdict.role ? htmlClass(verdict) : "heading");
    label.setText(verdict.word);
    constexpr int kPlain = 60, kMargins = 28; // those of a role's badge and the indent, which its size hint leaves out
    label.setMinimumWidth(verdict.role ? label.fontMetrics().horizontalAdvance(verdict.word) + kMargins : kPlain);
}

std::string textOfSides(const fx::Message& message) {
    return fx::textWith(
        message, {VerifyText::tr("the original").toStdString(), VerifyText::tr("the current version").toStdString()});
}

const char* htmlClass(const VerifyVerdict& verdict) {
    return verdict.role == &Theme::ok        ? "ok"
           : verdict.role == &Theme::error   ? "error"
           : verdict.role == &Theme::warning ? "warning"
                                             : "muted";
}

VerifyVerdict verdictOf(const RunSession& session) {
    switch (session.state()) {
    case RunSession::State::NoModel: return {VerifyText::tr("nothing to verify"), {}, nullptr};
    case RunSession::State::Unchanged: return {VerifyText::tr("not verified"), {}, nullptr};
    case RunSession::State::NeedsInputs:
        return {session.document().isPartial() ? VerifyText::tr("cannot verify") : VerifyText::tr("inputs needed"),
                session.missing(), &Theme::warning};
    case RunSession::State::Running: return {VerifyText::tr("verifying…"), {}, nullptr};
    case RunSession::State::Failed:
    case RunSession::State::Done: return verdictOf(session, session.current());
    }
    return {};
}

VerifyVerdict guessVerdict(const RunSession& session) {
    return {VerifyText::tr("guess does not fit"),
            VerifyText::tr("the model does not accept the guessed input %1; set the inputs").arg(session.guessed()),
            &Theme::warning};
}

QString guessHtml(const RunSession& session, const fx::Error& error) {
    return paragraph(VerifyText::tr("The model does not accept the guessed input %1. %2")
                         .arg(session.guessed().toHtmlEscaped(),
                              QStringLiteral("<a href='inputs:'>%1</a>").arg(VerifyText::tr("Edit Inputs…"))),
                     "warning") +
           paragraph(escapedLines(error.what(), 600), "muted");
}

namespace {
QString outputsHtml(const fx::VerifyReport& report) {
    if (report.outputs.empty()) return {};
    constexpr std::size_t kShown = 100;
    const bool shows = report.verdict != fx::Verdict::Inconclusive;
    QString html =
        QStringLiteral("<table cellspacing='0' cellpadding='3'><tr class='muted'><td></td><td></td><td "
                       "align='right'>%1</td><td align='right'>%2</td><td align='right'>%3</td><td></td>"
                       "</tr>")
            .arg(VerifyText::tr("max error"), VerifyText::tr("relative"), VerifyText::tr("beyond tolerance"));
    for (std::size_t i = 0; i < report.outputs.size() && i < kShown; ++i)
        html += outputRow(i, report.outputs[i], shows, report.isQuantisationNoise());
    html += QStringLiteral("</table>");
    if (report.outputs.size() > kShown)
        html += paragraph(counted(report.outputs.size() - kShown, VerifyText::tr("and 1 more output"),
                                  VerifyText::tr("and %1 more outputs")),
                          "muted");
    return html;
}

QString firstHtml(const fx::NodeDifference& first, const fx::Graph& graph) {
    QString text = first.value.comparable()
                       ? VerifyText::tr("First node that differs: %1, by %2")
                             .arg(nodeName(first.node, graph), errorNumber(first.value.maxAbs))
                       : VerifyText::tr("First node that differs: %1, %2")
                             .arg(nodeName(first.node, graph), escapedLines(textOfSides(first.value.reason)));
    if (!first.why.text().empty()) text += QStringLiteral(" – ") + escapedLines(textOfSides(first.why), 600);
    QString html = paragraph(text);
    if (first.passing)
        html += paragraph(
            VerifyText::tr("Its users agree again: the node computes more or less than before, as after fusing."),
            "muted");
    return html;
}

QString probesHtml(const std::vector<fx::Probe>& probes) {
    if (probes.empty()) return {};
    QString rows;
    for (const fx::Probe& probe : probes) rows += probeRow(probe);
    return QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='3'><tr class='muted'><td></td><td></td><td "
                          "align='right'>%2</td><td></td></tr>%3</table>")
        .arg(VerifyText::tr("Other inputs and weights"), VerifyText::tr("max error"), rows);
}
} // namespace

QString reportHtml(const fx::VerifyReport& report, const fx::Graph& graph) {
    QString html;
    if (!report.reason.text().empty())
        html += paragraph(escapedLines(textOfSides(report.reason), 1000),
                          report.isQuantisationNoise() ? "muted" : htmlClass(verdictOf(report.verdict)));
    else if (report.agrees() && !report.identical)
        html += paragraph(isBitForBit(report) ? VerifyText::tr("The outputs are equal bit for bit on these inputs.")
                                              : VerifyText::tr("The outputs are within tolerance on these inputs."));
    html += outputsHtml(report);
    if (report.first) html += firstHtml(*report.first, graph);
    html += probesHtml(report.probes);
    for (const fx::Message& remark : report.remarks) html += paragraph(escapedLines(textOfSides(remark), 600));
    for (const fx::Warning& warning : report.warnings)
        if (fx::isModeWarning(warning.what))
            html += paragraph(escapedLines(warning.what.text(), 600) +
                                  QStringLiteral(" <a href='inputs:'>%1</a>").arg(VerifyText::tr("Edit Inputs…")),
                              "warning");
    if (report.nodesCompared > 0)
        html += paragraph(
            counted(qint64(report.nodesCompared), VerifyText::tr("1 node compared"),
                    VerifyText::tr("%1 nodes compared")) +
                VerifyText::tr(", %1 beyond tolerance").arg(QLocale().toString(qlonglong(report.nodesDiffering))),
            "muted");
    return html;
}

QString runErrorHtml(const fx::Error& error, const fx::Graph& graph) {
    QString html;
    if (error.side == fx::Side::A)
        html = paragraph(VerifyText::tr("The original fails on these inputs, so they say nothing of the edits. %1")
                             .arg(QStringLiteral("<a href='inputs:'>%1</a>").arg(VerifyText::tr("Edit Inputs…"))),
                         "warning");
    html += paragraph(escapedLines(error.what(), 1500), "error");
    if (!error.node.empty())
        html += paragraph(VerifyText::tr("At node %1%2")
                              .arg(nodeName(error.node, graph),
                                   error.where.empty()         ? QString()
                                   : error.side == fx::Side::A ? VerifyText::tr(" of the original")
                                   : error.side == fx::Side::B ? VerifyText::tr(" of the current version")
                                                               : QStringLiteral(" (%1)").arg(escaped(error.where))));
    if (!error.source.empty()) html += QStringLiteral("<pre>%1</pre>").arg(escapedLines(error.source, 500));
    if (!error.hint.empty()) html += paragraph(escapedLines(error.hint, 600));
    return html;
}

QString verifyHistoryHtml(const RunSession& session) {
    const fx::History* history = session.document().versions().history();
    if (!history || history->entries().size() < 2) return {};
    // Those around the current one: a page of many thousands takes longer than anybody waits.
    constexpr std::size_t kMost = 200;
    const std::size_t end = std::min(history->entries().size(), history->current() + kMost / 2 + 1),
                      first = std::max<std::size_t>(end > kMost ? end - kMost : 0, 1),
                      left = history->entries().size() - 1 - (end - first);
    QString rows;
    for (std::size_t i = end; i-- > first;) {
        const auto& entry = history->entries()[i];
        const Verification* known = session.of(entry.model.get());
        const bool isRunning = i == history->current() && session.state() == RunSession::State::Running;
        const VerifyVerdict verdict = isRunning ? verdictOf(session) : verdictOf(session, known);
        const QString name = escaped(entry.name, 80);
        rows += QStringLiteral(
                    "<tr><td class='muted'>%1</td><td>%2</td><td class='%3'>%4</td><td class='muted'>%5</td></tr>")
                    .arg(i)
                    .arg(i == history->current() ? QStringLiteral("<b>%1</b>").arg(name)
                                                 : QStringLiteral("<a href='version:%1'>%2</a>").arg(i).arg(name))
                    .arg(QLatin1String(htmlClass(verdict)), verdict.word, escaped(verdict.detail.toStdString(), 80));
    }
    const QString more = left == 0 ? QString()
                                   : paragraph(counted(left, VerifyText::tr("1 more edit is not listed."),
                                                       VerifyText::tr("%1 more edits are not listed.")),
                                               "muted");
    return QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='3'>%2</table>")
               .arg(history->current() == 0 ? VerifyText::tr("Verdicts of the undone edits")
                    : left > 0              ? VerifyText::tr("Verdicts of edits")
                                            : VerifyText::tr("Verdicts of all edits"),
                    rows) +
           more;
}

QString runStyle() {
    const Theme& t = theme();
    const QFont mono = monoFont();
    return QStringLiteral("h3 { font-size: medium; font-weight: 600; margin: 12px 0 2px 0; } p { margin: 3px 0; } td { "
                          "padding-right: 12px; }"
                          ".muted { color: %1; } a { color: %2; text-decoration: none; } .ok { color: %3; } .warning { "
                          "color: %4; } .error { color: %5; }"
                          "code, pre { font-family: '%6'; font-size: %7px; } pre { white-space: pre-wrap; }")
        .arg(t.muted.name(), t.accent.name(), t.ok.line.name(), t.warning.line.name(), t.error.line.name(),
             mono.family())
        .arg(mono.pixelSize());
}

} // namespace ui

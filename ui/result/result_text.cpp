// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/result_text.h"

#include "ui/document/node_facts.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <set>

namespace ui {

namespace {
using Answer = ResultText::Answer;
using RunState = RunSession::State;
using TimeState = TimingSession::State;

struct CardText {
    Q_DECLARE_TR_FUNCTIONS(ui::ResultCard)
};
QString joined(QStringList parts) {
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

ResultRow rightRow(const RunSession& run) {
    const VerifyVerdict verdict = verdictOf(run);
    QString detail = verdict.detail;
    const Verification* known = run.state() == RunState::Done ? run.current() : nullptr;
    if (known && !known->report->agrees() && known->report->nodesDiffering > 0)
        detail = joined({detail, CardText::tr("%1 of %2 nodes differ")
                                     .arg(QLocale().toString(qlonglong(known->report->nodesDiffering)),
                                          QLocale().toString(qlonglong(known->report->nodesCompared)))});
    return {verdict, detail};
}

/// "rescaled weights: different, largest error 3.1e-01"
QString probeText(const fx::Probe& probe) {
    QString text = QStringLiteral("%1: %2").arg(fromCore(probe.what), verdictOf(probe.verdict).word);
    if (probe.verdict == fx::Verdict::Different && probe.maxAbs > 0)
        text += CardText::tr(", largest error %1").arg(errorNumber(probe.maxAbs));
    return text;
}

/// What an agreement leaves open, as values for which the results differ; empty: nothing is known.
QString remarksOf(const fx::VerifyReport& report) {
    constexpr int kLongest = 300;
    QStringList remarks;
    if (report.agrees())
        for (const fx::Message& remark : report.remarks) remarks << elided(textOfSides(remark), kLongest);
    return remarks.join(QStringLiteral(" · "));
}

/// How many sets of inputs and scales were tried.
ResultRow sureRow(const RunSession& run) {
    const Verification* known = run.state() == RunState::Done ? run.current() : nullptr;
    if (!known) return {{CardText::tr("unknown"), {}, nullptr}, {}};
    const fx::VerifyReport& report = *known->report;
    if (report.identical) return {{CardText::tr("certain"), {}, &Theme::ok}, CardText::tr("for all inputs")};
    auto draws = 1 + report.furtherInputs;
    std::set<double> scales{1};
    QStringList told;
    for (const fx::Probe& probe : report.probes) {
        if (probe.kind == fx::Probe::Kind::RescaledWeights) told << probeText(probe);
        else if (probe.verdict != fx::Verdict::Inconclusive) told << probeText(probe);
        if (probe.kind == fx::Probe::Kind::RescaledWeights) continue;
        draws += probe.kind == fx::Probe::Kind::Seed;
        scales.insert(probe.scale);
    }
    const QString pill = (draws == 1 ? CardText::tr("1 set of inputs")
                                     : CardText::tr("%1 sets of inputs").arg(QLocale().toString(qlonglong(draws)))) +
                         (scales.size() == 1 ? QString() : CardText::tr(", %1 scales").arg(scales.size()));
    QString detail = told.join(QStringLiteral(" · "));
    if (run.isProbing()) detail = CardText::tr("trying %1").arg(run.probeStep());
    else if (known->isOpen()) detail = CardText::tr("other inputs may decide it");
    else if (detail.isEmpty() && report.agrees() && known->probeError)
        detail = CardText::tr("could not search: %1").arg(linesFromCore(known->probeError->what()));
    else if (detail.isEmpty() && report.furtherSeconds >= 1)
        detail = CardText::tr("searched for %1\u00a0s").arg(QLocale().toString(report.furtherSeconds, 'f', 0));
    else if (detail.isEmpty() && report.furtherInputs > 0) detail = CardText::tr("checked with these weights only");
    else if (detail.isEmpty()) detail = CardText::tr("checked with these inputs and weights only");
    return {{pill, {}, nullptr}, joined({remarksOf(report), detail})};
}

QString speedText(double ratio) { return QString::number(1 / ratio, 'f', 2); }

ResultRow fasterRow(const ResultSession& session) {
    const TimingSession& timing = session.timing();
    const RunSession& run = session.run();
    const fx::History& history = *session.document().versions().history();
    if (timing.timedNow() == history.model()) return {{CardText::tr("timing…"), {}, nullptr}, timing.step()};
    const Timing* known = timing.current();
    if (!known) return {{CardText::tr("not timed"), {}, nullptr}, {}};
    if (!known->result && run.current() && run.current()->originalFails()) return {verdictOf(*run.current()), {}};
    if (!known->result) return {{CardText::tr("cannot run"), {}, &Theme::error}, linesFromCore(known->error->what())};
    const auto& result = *known->result;
    if (result.ratios.empty()) return {{CardText::tr("not timed"), {}, nullptr}, {}};
    const auto& ratio = result.ratios.front();
    const QString detail =
        (result.rounds == 1 ? CardText::tr("1 round") : CardText::tr("%1 rounds").arg(result.rounds)) +
        CardText::tr(", noise floor %1").arg(percentText(result.environment.noiseFloor));
    if (tooFewRounds(result)) return {{CardText::tr("too few rounds"), {}, &Theme::warning}, detail};
    return speedRow(ratio, detail);
}

ResultRow changedRow(const ResultSession& session) {
    const ChangeFacts* facts = session.changes();
    if (!facts) return {{QStringLiteral("…"), {}, nullptr}, {}};
    const auto activations = session.activationDifference();
    return {{nodesText(*facts), {}, nullptr},
            joined({CardText::tr("weights %1").arg(bytesText(facts->weightBytes)),
                    activations ? CardText::tr("activations %1").arg(bytesText(*activations))
                                : CardText::tr("size of activations unknown")})};
}
} // namespace

ResultRow speedRow(const fx::timing::RatioTiming& ratio, const QString& detail) {
    using Verdict = fx::timing::Verdict;
    constexpr double kClear = 1.5; // a wider interval may tell which one is faster, but not by how much
    const QString low = speedText(ratio.ci95.high), high = speedText(ratio.ci95.low);
    const bool isClear = ratio.ci95.high <= kClear * ratio.ci95.low;
    const QString speed =
        isClear ? QStringLiteral("%1× (%2)").arg(speedText(ratio.ratio), CardText::tr("%1 to %2").arg(low, high))
                : CardText::tr("noisy: %1× to %2×").arg(low, high);
    switch (ratio.verdict) {
    case Verdict::Faster:
        return isClear ? ResultRow{{speed, {}, &Theme::ok}, detail}
                       : ResultRow{{speed, {}, &Theme::warning}, joined({CardText::tr("faster"), detail})};
    case Verdict::Slower: return {{speed, {}, &Theme::warning}, joined({CardText::tr("slower"), detail})};
    case Verdict::Same: return {{speed, {}, nullptr}, joined({CardText::tr("same speed"), detail})};
    case Verdict::TooNoisy: return {{CardText::tr("too noisy to tell"), {}, &Theme::warning}, joined({speed, detail})};
    }
    return {};
}

QString ageText(std::chrono::system_clock::time_point then, std::chrono::system_clock::time_point now) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - then).count();
    if (seconds < 1) return CardText::tr("now");
    if (seconds < 60) return CardText::tr("%1\u00a0s ago").arg(seconds);
    if (seconds < 3600) return CardText::tr("%1 min ago").arg(seconds / 60);
    return QLocale().toString(QDateTime::fromSecsSinceEpoch(std::chrono::system_clock::to_time_t(then)),
                              QLocale::ShortFormat);
}

ResultText resultText(const ResultSession& session) {
    ResultText text;
    const fx::History* history = session.document().versions().history();
    if (!history || history->current() == 0) return text;
    const RunSession& run = session.run();
    text.title = elided(history->entries()[history->current()].name, 200);
    if (text.title.isEmpty()) text.title = CardText::tr("Edit %1").arg(history->current());
    if (history->current() > 1)
        text.about = CardText::tr("Edit %1. These results cover all %1 edits together.").arg(history->current());
    text.row(Answer::Right) = rightRow(run);
    text.row(Answer::Sure) = sureRow(run);
    text.row(Answer::Faster) = fasterRow(session);
    text.row(Answer::Changed) = changedRow(session);
    const Verification* known = run.state() == RunState::Done ? run.current() : nullptr;
    text.isGood = known && known->report->agrees();
    text.line = joined({session.changes() ? nodesText(*session.changes()) : QString(), text.row(Answer::Right).detail,
                        known ? remarksOf(*known->report) : QString()});
    text.isProbing = run.isProbing();
    text.mayProbe = known && known->isOpen() && !text.isProbing;
    text.maySearch = text.isGood && !known->report->identical && !text.isProbing;
    if (known) text.counterexample = known->report->counterexample;
    const TimeState timing = session.timing().state();
    text.mayTime = run.state() != RunState::Failed && (timing == TimeState::NotTimed || timing == TimeState::Failed);
    return text;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/timing_html.h"

#include "core/timing/timing_text.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/unbroken.h"

#include <QCoreApplication>

#include <cmath>

namespace ui {

namespace {
using fx::timing::BenchResult;
using fx::timing::Environment;
using fx::timing::RatioTiming;
using fx::timing::Verdict;

struct TimingText {
    Q_DECLARE_TR_FUNCTIONS(ui::TimingText)
};

QString plain(const std::string& text) { return fromCore(text).toHtmlEscaped(); }
/// Messages of the engine begin in lower case.
QString sentence(const std::string& text) {
    const QString words = linesFromCore(text);
    return (words.left(1).toUpper() + words.mid(1)).toHtmlEscaped();
}
QString paragraph(const QString& html, const char* kind = nullptr) {
    return QStringLiteral("<p%1>%2</p>")
        .arg(kind ? QStringLiteral(" class='%1'").arg(QLatin1String(kind)) : QString(), html);
}
QString ratioText(double ratio) { return QString::number(ratio, 'f', 3); }
QString intervalText(const fx::timing::Interval& interval) {
    return TimingText::tr("%1 to %2").arg(ratioText(interval.low), ratioText(interval.high));
}

QString sentence(const RatioTiming& ratio, bool few) {
    if (few) return TimingText::tr("Too few rounds to tell which model is faster; measure longer.");
    switch (ratio.verdict) {
    case Verdict::Faster:
        return TimingText::tr("The modified model is faster: it takes %1 less time than the original.")
            .arg(percentText(1 - ratio.ratio));
    case Verdict::Slower:
        return TimingText::tr("The modified model is slower: it takes %1 more time than the original.")
            .arg(percentText(ratio.ratio - 1));
    case Verdict::Same: return TimingText::tr("Both models take the same time, within 2\u00a0%.");
    case Verdict::TooNoisy:
        return TimingText::tr("Too noisy to tell which model is faster%1.")
            .arg(ratio.why.text().empty() ? QString() : QStringLiteral(": ") + plain(ratio.why.text()));
    }
    return {};
}

/// A column for each model, for a panel that is narrow: it must not scroll.
QString table(const BenchResult& result) {
    const QString cell = QStringLiteral("<td align='right' style='white-space: nowrap'>%1</td>");
    QString names, spreads, fastest, first, samples;
    for (const auto& each : result.variants) {
        names += QStringLiteral("<td align='right'>%1</td>").arg(plain(each.model));
        spreads += cell.arg(tooFewRounds(result) ? QStringLiteral("—") : timeText(each.iqrMs()));
        fastest += cell.arg(timeText(each.minMs));
        first += cell.arg(timeText(each.coldMs));
        samples += cell.arg(unbroken(QStringLiteral("%1 × %2").arg(each.samplesMs.size()).arg(each.runsPerBlock)));
    }
    const auto row = [](const QString& title, const QString& cells) {
        return QStringLiteral("<tr><td class='muted'>%1</td>%2</tr>").arg(title, cells);
    };
    return QStringLiteral("<table cellspacing='0' cellpadding='2'>%1</table>")
        .arg(row(QString(), names) + row(TimingText::tr("IQR"), spreads) +
             row(TimingText::tr("fastest sample"), fastest) + row(TimingText::tr("first run"), first) +
             row(TimingText::tr("samples"), samples));
}

/// Why the nodes do not add up to the median above them.
QString gapHtml(const fx::timing::VariantTiming& variant, const fx::timing::NodeReport& report) {
    if (!fx::timing::differsFromMedian(variant, report)) return {};
    const double gap = variant.medianMs - report.sumMs;
    return paragraph((gap > 0 ? TimingText::tr("The median run takes %1 more than its nodes together: they are timed "
                                               "in runs of their own, of which the fastest third counts.")
                              : TimingText::tr("The median run takes %1 less than its nodes together: they are timed "
                                               "in runs of their own, of which the fastest third counts."))
                         .arg(timeText(std::abs(gap))));
}

QString machineHtml(const Environment& e) {
    QStringList parts{plain(e.processor),
                      (e.threads == 1 ? TimingText::tr("1 thread") : TimingText::tr("%1 threads").arg(e.threads)) +
                          TimingText::tr(" on %1 CPUs").arg(e.processors),
                      plain(e.isa)};
    parts << TimingText::tr("oneDNN %1").arg(e.oneDnn.empty() ? TimingText::tr("unknown") : plain(e.oneDnn)) +
                 (e.oneDnnIsa.empty() ? QString() : QStringLiteral(" (%1)").arg(plain(e.oneDnnIsa)));
    parts << plain(e.blas) << plain(e.library)
          << (e.denormalsFlushed ? TimingText::tr("denormals flushed") : TimingText::tr("denormals kept"));
    if (!e.governor.empty()) parts << TimingText::tr("governor %1").arg(plain(e.governor));
    if (e.frequencyMhz > 0) parts << TimingText::tr("%1\u00a0MHz").arg(std::lround(e.frequencyMhz));
    if (e.ceiling)
        parts << TimingText::tr("ceiling %1\u00a0GFLOP/s, %2\u00a0GB/s")
                     .arg(e.ceiling->gflops, 0, 'f', 0)
                     .arg(e.ceiling->gbytes, 0, 'f', 1);
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString loadText(const BenchResult& result) {
    const Environment& e = result.environment;
    QString text =
        TimingText::tr(
            "Noise floor ±%1: a model measured against itself differed by this much. Other processes kept %2 CPUs busy")
            .arg(percentText(e.noiseFloor))
            .arg(e.otherLoad, 0, 'f', 2);
    if (e.stealShare > 0.001) text += TimingText::tr(", the hypervisor took %1").arg(percentText(e.stealShare));
    return text + QStringLiteral(".");
}

} // namespace

QString timeText(double ms) { return unbroken(fx::timing::durationText(ms)); }
QString typeName(const std::string& target) {
    return elided(target.starts_with("torch.nn.modules.") ? target.substr(target.rfind('.') + 1) : target, 200);
}
QString percentText(double share) {
    const QString number = QString::number(std::abs(share) * 100, 'f', 1);
    const bool isLess = share < 0 && number != QLatin1String("0.0");
    return TimingText::tr("%1\u00a0%").arg(isLess ? QChar(0x2212) + number : number);
}

QString flopsText(double flops) {
    static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
    int unit = 0;
    for (; flops >= 999.5 && unit < 5; ++unit) flops /= 1000;
    return QStringLiteral("%1\u00a0%2FLOP")
        .arg(flops, 0, 'f',
             unit == 0 || flops >= 99.95 ? 0
             : flops >= 9.995            ? 1
                                         : 2)
        .arg(QLatin1String(kUnits[unit]));
}

bool tooFewRounds(const BenchResult& result) {
    constexpr std::size_t kFewest = 3; // of two samples nobody knows how far they scatter
    return result.rounds < kFewest;
}

VerifyVerdict timingVerdictOf(const BenchResult& result, const RatioTiming& ratio) {
    if (tooFewRounds(result))
        return {TimingText::tr("too few rounds"), TimingText::tr("measure longer to compare the models"),
                &Theme::warning};
    const QString numbers = QStringLiteral("%1 (%2)").arg(ratioText(ratio.ratio), intervalText(ratio.ci95));
    switch (ratio.verdict) {
    case Verdict::Faster: return {TimingText::tr("faster"), numbers, &Theme::ok};
    case Verdict::Slower: return {TimingText::tr("slower"), numbers, &Theme::error};
    case Verdict::Same: return {TimingText::tr("same"), numbers, nullptr};
    case Verdict::TooNoisy: return {TimingText::tr("too noisy to tell"), numbers, &Theme::warning};
    }
    return {};
}

VerifyVerdict timingVerdictOf(const TimingSession& session) {
    using State = TimingSession::State;
    switch (session.state()) {
    case State::NoModel: return {TimingText::tr("nothing to time"), {}, nullptr};
    case State::NeedsInputs:
        return {session.document().isPartial() ? TimingText::tr("cannot time") : TimingText::tr("inputs needed"),
                session.run().missing(), &Theme::warning};
    case State::NotTimed: return {TimingText::tr("not timed"), {}, nullptr};
    case State::Running: return {TimingText::tr("timing…"), {}, nullptr};
    case State::Failed:
        if (session.run().guessDoesNotFit()) return guessVerdict(session.run());
        if (const Verification* known = session.run().current(); known && known->originalFails())
            return verdictOf(*known);
        return {TimingText::tr("cannot run"), linesFromCore(session.current()->error->what()), &Theme::error};
    case State::Done: break;
    }
    const BenchResult& result = *session.current()->result;
    return result.ratios.empty() ? VerifyVerdict{timeText(result.variants.front().medianMs), {}, nullptr}
                                 : timingVerdictOf(result, result.ratios.front());
}

QString timingHtml(const BenchResult& result) {
    QString html;
    for (const RatioTiming& ratio : result.ratios) {
        const VerifyVerdict verdict = timingVerdictOf(result, ratio);
        const char* kind = verdict.role == &Theme::ok        ? "ok"
                           : verdict.role == &Theme::error   ? "error"
                           : verdict.role == &Theme::warning ? "warning"
                                                             : nullptr;
        html += paragraph(QStringLiteral("<b>%1</b>").arg(sentence(ratio, tooFewRounds(result))), kind);
        if (!tooFewRounds(result))
            html += paragraph(TimingText::tr("Ratio %1, 95\u00a0% interval %2.")
                                  .arg(ratioText(ratio.ratio), intervalText(ratio.ci95)));
    }
    html += table(result);
    for (const fx::Message& warning : result.warnings) html += paragraph(sentence(warning.text()), "warning");
    for (const auto& report : result.reports) {
        html += paragraph(TimingText::tr("Nodes of the %1: %2 in total, %3 of the %4 that the same runs take without "
                                         "per-node timing; reorders between memory formats: %5.")
                              .arg(plain(result.variants[report.variant].model), timeText(report.sumMs),
                                   percentText(report.wholeMs > 0 ? report.sumMs / report.wholeMs : 0),
                                   timeText(report.wholeMs))
                              .arg(report.reorders));
        html += gapHtml(result.variants[report.variant], report);
    }
    return html + paragraph(loadText(result), "muted") + paragraph(machineHtml(result.environment), "muted");
}

} // namespace ui

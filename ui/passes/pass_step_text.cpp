// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_step_text.h"

#include "core/passes/pass_list.h"
#include "ui/document/node_facts.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace ui {

namespace {

struct StepText {
    Q_DECLARE_TR_FUNCTIONS(ui::PassesPanel)
};

QString rewritesText(std::size_t count) {
    if (count == 0) return StepText::tr("no change");
    return count == 1 ? StepText::tr("1 rewrite")
                      : StepText::tr("%1 rewrites").arg(QLocale().toString(static_cast<qlonglong>(count)));
}

PillKind kindOf(fx::Verdict verdict) {
    switch (verdict) {
    case fx::Verdict::Equal:
    case fx::Verdict::Close: return PillKind::Ok;
    case fx::Verdict::Inconclusive: return PillKind::Warning;
    case fx::Verdict::Different: return PillKind::Error;
    }
    return PillKind::Neutral;
}

/// "model 1.05× as fast (0.98 to 1.12)"
QString speedText(const fx::onednn::WholeTimes& times) {
    if (times.hasTooFew()) return StepText::tr("too few rounds in the time given to tell how fast the model is");
    const fx::timing::RatioTiming& ratio = times.ratio;
    return (ratio.verdict == fx::timing::Verdict::TooNoisy
                ? StepText::tr("too noisy to tell: model %1× as fast (%2 to %3)")
                : StepText::tr("model %1× as fast (%2 to %3)"))
        .arg(QString::number(1 / ratio.ratio, 'f', 2), QString::number(1 / ratio.ci95.high, 'f', 2),
             QString::number(1 / ratio.ci95.low, 'f', 2));
}

double largestError(const fx::VerifyReport& report) {
    double most = 0;
    for (const fx::OutputDifference& output : report.outputs) most = std::max(most, output.value.maxAbs);
    return most;
}

} // namespace

RowStatus stepVerdict(const PassesSession& session, const PassStep& step) {
    const PassesSession::Checked* known = session.checked(step);
    if (!known || step.before == step.after) return {}; // of nothing, equal numbers say nothing
    if (known->error) return {StepText::tr("fails"), PillKind::Error};
    const fx::Verdict verdict = known->report->verdict;
    QString word = verdictOf(verdict).word;
    const double error = largestError(*known->report);
    if (error > 0) word += u' ' + errorNumber(error);
    return {word, kindOf(verdict)};
}

RowStatus rowStatus(const PassesSession* session, std::optional<std::size_t> pass, bool ticked) {
    if (!session || !pass) return {ticked ? StepText::tr("not run") : StepText::tr("off"), PillKind::Neutral};
    const RecordedPass& run = session->record()->passes[*pass];
    if (!run.report) return {StepText::tr("failed"), PillKind::Error};
    const auto& place = session->place();
    if (place && place->pass == *pass && place->rewrite > 0) {
        const QString at = StepText::tr("rewrite %1 of %2").arg(place->rewrite).arg(run.rewrites.size());
        const RowStatus verdict = stepVerdict(*session, *session->step());
        return {verdict.text.isEmpty() ? at : at + QStringLiteral(" · ") + verdict.text, verdict.kind};
    }
    const QString count = rewritesText(run.report->changed ? std::max<std::size_t>(run.report->rewrites, 1) : 0);
    const RowStatus verdict = run.report->changed ? stepVerdict(*session, run.whole) : RowStatus();
    if (session->record()->after && !session->isCurrent()) // undone, or edited since
        return {StepText::tr("earlier: %1").arg(count), PillKind::Neutral};
    return {verdict.text.isEmpty() ? count : count + QStringLiteral(" · ") + verdict.text, verdict.kind};
}

QString stepTitle(const PassesSession& session) {
    const PassStep* step = session.step();
    if (!step) return {};
    const RecordedPass& pass = session.record()->passes[session.place()->pass];
    const std::size_t rewrite = session.place()->rewrite;
    if (rewrite > 0)
        return StepText::tr("Rewrite %1 of %2 · %3")
            .arg(QString::number(rewrite), QString::number(pass.rewrites.size()), fromCore(step->node));
    return StepText::tr("%1 · %2").arg(fromCore(pass.name),
                                       pass.report ? rewritesText(pass.rewrites.size()) : StepText::tr("failed"));
}

QString stepFacts(const PassesSession& session, const PassStep& step) {
    QStringList facts;
    facts << (step.millis < 100 ? StepText::tr("%1\u00a0ms").arg(QLocale().toString(step.millis, 'g', 2))
                                : StepText::tr("%1\u00a0s").arg(QLocale().toString(step.millis / 1000, 'f', 1)));
    if (const fx::onednn::WholeTimes* times = session.timed(step)) facts << speedText(*times);
    else if (session.isTiming()) facts << StepText::tr("timing…");
    return facts.join(QStringLiteral(" · "));
}

bool isRunOf(const RecordedPass& run, const PassChoice& pass) {
    const QString name = fromCore(run.name);
    return name == pass.name || (pass.isText() && (name == pass.file || name == pass.label()));
}

QString rowToolTip(const PassChoice& pass) {
    if (pass.isText())
        return pass.text ? StepText::tr("%1, with changes that are not saved to the file").arg(pass.file) : pass.file;
    const fx::Pass* known = fx::findPass(pass.name.toStdString());
    return known ? linesFromCore(known->about) : pass.name;
}

} // namespace ui

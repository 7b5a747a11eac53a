// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel says.
#include "ui/document/node_facts.h"
#include "ui/run/input_text.h"
#include "ui/timing/curve_chart.h"
#include "ui/timing/node_times_model.h"
#include "ui/timing/sweep_text.h"
#include "ui/timing/time_bars.h"
#include "ui/timing/timing_html.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/core_text.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>

#include <algorithm>

namespace ui {

namespace {
using State = TimingSession::State;

/// Nothing can be told from it.
bool isHollow(const fx::timing::BenchResult& result) {
    return tooFewRounds(result) ||
           (!result.ratios.empty() && result.ratios.front().verdict == fx::timing::Verdict::TooNoisy);
}
} // namespace

std::vector<std::int64_t> TimingPanel::batchesFrom(const QString& text) {
    static const QRegularExpression kBetween(QStringLiteral("[\\s,;]+"));
    std::vector<std::int64_t> out;
    const QStringList words = text.split(kBetween, Qt::SkipEmptyParts);
    for (const QString& word : words) {
        bool number = false;
        const qlonglong size = word.toLongLong(&number);
        if (!number || size < 1 || size > 1'000'000) return {};
        out.push_back(size);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void TimingPanel::show() {
    showHeat();
    showHead();
    m_body->setCurrentIndex(showEmpty() ? 0 : 1);
    showVerdict();
    showNodes();
    showHistory();
    showSweep();
    showProgress();
}

/// Nodes at once, closed groups as soon as it is known what is in them.
void TimingPanel::showHeat() {
    m_heatMap.make(m_session ? m_session->times() : KnownTimes(),
                   m_session ? m_session->document().versions().history() : nullptr);
    Q_EMIT heatChanged();
    if (m_heatMap.empty()) return m_groups.cancel();
    m_groups.start([model = m_session->document().module(),
                    ms = m_heatMap.times()](const fx::Progress& progress) { return groupTimes(*model, ms, progress); },
                   this,
                   [this](std::unordered_map<std::string, double> times) {
                       m_heatMap.setGroups(std::move(times));
                       Q_EMIT heatChanged();
                   });
}

void TimingPanel::showHead() {
    const State state = m_session ? m_session->state() : State::NoModel;
    const bool open = state != State::NoModel, running = state == State::Running;
    showPill(*m_verdict, m_session ? timingVerdictOf(*m_session) : VerifyVerdict{tr("nothing to time"), {}, nullptr});
    m_start->setText(running ? tr("Stop") : tr("Time"));
    m_start->setEnabled(running || (open && state != State::NeedsInputs));
    m_start->setToolTip(!open     ? tr("No file is open")
                        : running ? tr("Stop and discard this measurement")
                        : state == State::NeedsInputs
                            ? m_session->run().missing()
                            : tr("Time the original and the current version in turns, with their nodes"));
    m_inputs->setEnabled(open);
    m_inputs->setToolTip(open ? tr("Edit the inputs for running the model") : tr("No file is open"));
    for (QWidget* each : std::initializer_list<QWidget*>{m_threads, m_seconds}) each->setEnabled(open && !running);
    const bool copies = result() || (m_session && !m_session->sweep().empty());
    m_copy->setEnabled(copies);
    m_copy->setToolTip(copies ? tr("Copy the timing as text, CSV or JSON") : tr("this version has not been timed"));
}

/// The line beside the verdict: numbers, or how far it is.
void TimingPanel::showProgress() {
    const bool running = m_session && m_session->state() == State::Running;
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_progress->setSizePolicy(policy);
    m_progress->setVisible(running);
    QString detail;
    if (running) {
        m_progress->setValue(static_cast<int>(m_session->done() * 1000));
        detail = m_session->step();
    } else if (m_session && m_session->state() != State::NoModel) {
        detail = timingVerdictOf(*m_session).detail;
        const QString inputs = summaryOf(m_session->run().inputs());
        if (!inputs.isEmpty() && m_session->state() != State::NeedsInputs)
            detail += (detail.isEmpty() ? QString() : QStringLiteral(" · ")) + tr("inputs: %1").arg(inputs);
    }
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
}

bool TimingPanel::showEmpty() {
    const State state = m_session ? m_session->state() : State::NoModel;
    const bool something = m_session && (m_session->times().report || m_session->current() ||
                                         !m_session->sweep().empty() || m_session->isSweeping());
    const bool isPartial = m_session && m_session->document().isPartial(); // no inputs help
    m_emptyButton->setVisible((state == State::NeedsInputs && !isPartial) || state == State::NotTimed);
    switch (state) {
    case State::NoModel:
        m_emptyText->setText(tr("Open a model to measure its time and the effect of each edit."));
        return true;
    case State::NeedsInputs:
        m_emptyText->setText(tr("The model cannot run yet: %1.").arg(m_session->run().missing()));
        m_emptyButton->setText(tr("Edit Inputs…"));
        return true;
    case State::Running:
        if (m_session->isWaiting()) m_emptyText->setText(tr("Waiting for the worker, which runs something else."));
        else
            m_emptyText->setText(tr("Measuring: %1\u00a0s for the models, then half as long for their nodes.")
                                     .arg(m_session->settings().seconds));
        return !something;
    default: break;
    }
    m_emptyText->setText(tr("Press Time to run the original and the current version in turns on the same inputs, then "
                            "each node with the oneDNN kernels it used."));
    m_emptyButton->setText(tr("Time"));
    return !something;
}

void TimingPanel::showVerdict() {
    const bool plots = result() && !tooFewRounds(*result()); // lengths of bars would say what nobody knows
    m_bars->setVariants(plots ? result()->variants : std::vector<fx::timing::VariantTiming>());
    const int scrolled = m_page->verticalScrollBar()->value();
    m_page->document()->setDefaultStyleSheet(runStyle());
    QString html;
    if (result()) html = timingHtml(*result());
    else if (m_session && m_session->state() == State::Failed)
        html = m_session->run().guessDoesNotFit()
                   ? guessHtml(m_session->run(), *m_session->current()->error)
                   : runErrorHtml(*m_session->current()->error, m_session->document().module()->graph);
    else if (m_session && m_session->state() == State::Running)
        html = QStringLiteral("<p>%1</p>").arg(tr("Measuring…"));
    else
        html = QStringLiteral("<p>%1</p><p><a href='time:'>%2</a></p>")
                   .arg(tr("This version has not been timed."), tr("Time"));
    m_page->setHtml(html);
    m_page->verticalScrollBar()->setValue(scrolled);
}

void TimingPanel::showNodes() {
    const KnownTimes times = m_session ? m_session->times() : KnownTimes();
    const auto* reports = result() ? &result()->reports : nullptr;
    const bool both = times.current && reports && reports->size() == 2;
    m_nodeTimes->setReport(times.report, both ? &reports->front() : nullptr);
    for (const int compared : {NodeTimesModel::Before, NodeTimesModel::Difference})
        m_nodes->setColumnHidden(compared, !both);
    fitNames();
    showSelected();
    m_typeTimes->setReport(times.report);
    const bool whole = reports && reports->empty();
    m_whose->setText(!m_heatMap.stale().isEmpty() ? m_heatMap.stale()
                     : whole ? tr("This version was timed as a whole; Time It also times its nodes")
                             : QString());
    m_whose->setVisible(!m_whose->text().isEmpty());
}

/// Names first, before any bar; beyond half of the table they are cut in the middle. Anew only for other nodes: the
/// user may have dragged the border.
void TimingPanel::fitNames() {
    double widest = 0;
    const QFontMetricsF metrics(monoFont());
    for (int row = 0; row < m_nodeTimes->rowCount(); ++row)
        widest = std::max(widest, metrics.horizontalAdvance(fromCore(m_nodeTimes->nameAt(row)).left(200)));
    const int wanted = static_cast<int>(widest) + 24;
    if (wanted == std::exchange(m_namesWidth, wanted)) return;
    constexpr int kLeast = 120, kUsual = 640;
    m_nodes->horizontalHeader()->resizeSection(NodeTimesModel::Name,
                                               std::clamp(wanted, kLeast, std::max(kUsual, m_nodes->width()) / 2));
}

void TimingPanel::showHistory() {
    const fx::History* history = m_session ? m_session->document().versions().history() : nullptr;
    Curve curve;
    QStringList labels;
    bool edits = false, tooShort = false;
    for (std::size_t i = 0; history && i < history->entries().size(); ++i) {
        const auto& entry = history->entries()[i];
        const Timing* known = m_session->of(entry.model.get());
        if (!known || !known->result || (i > 0 && known->result->ratios.empty())) continue;
        if (i > 0 && tooFewRounds(*known->result)) { // there is no interval to draw
            tooShort = true;
            continue;
        }
        const QString name =
            i == 0 ? tr("original") : QStringLiteral("%1 %2").arg(i).arg(fromCore(entry.name).left(14));
        Curve::Point point{static_cast<int>(labels.size()), 1, 1, 1, name};
        if (i > 0) {
            edits = true;
            const auto& ratio = known->result->ratios.front();
            const VerifyVerdict verdict = timingVerdictOf(*known->result, ratio);
            point = {static_cast<int>(labels.size()),
                     ratio.ratio,
                     ratio.ci95.low,
                     ratio.ci95.high,
                     QStringLiteral("%1\n%2: %3").arg(fromCore(entry.name).left(80), verdict.word, verdict.detail),
                     {},
                     isHollow(*known->result)};
        }
        labels << name;
        curve.points.push_back(point);
    }
    if (!edits && tooShort)
        m_history->setText(tr("No edited version had enough rounds for an interval. Measure for longer."));
    else if (!edits)
        m_history->setText(tr("Time the model after each edit. Every timed version becomes a point here: its ratio to "
                              "the original, with a 95\u00a0% interval."));
    else m_history->setCurves({curve}, labels, tr("ratio to the original"), {}, 1.0, false);
}

void TimingPanel::showSweep() {
    const State state = m_session ? m_session->state() : State::NoModel;
    const bool sweeping = m_session && m_session->isSweeping();
    QString why = m_session ? m_session->whyNoSweep() : tr("no model is open");
    if (why.isEmpty() && batchesFrom(m_batches->text()).empty()) why = tr("enter batch sizes such as 1, 2, 4, 8");
    if (why.isEmpty() && state == State::Running && !sweeping) why = tr("another measurement is running");
    m_sweep->setText(sweeping ? tr("Stop") : tr("Sweep"));
    m_sweep->setEnabled(sweeping || why.isEmpty());
    m_sweep->setToolTip(why.isEmpty() ? tr("Time both models at each of these batch sizes") : why);
    m_batches->setEnabled(m_session && !sweeping);
    std::vector<Curve> curves;
    QStringList labels;
    QString text = why;
    for (const SweepPoint& point : m_session ? m_session->sweep() : std::vector<SweepPoint>()) {
        if (point.error)
            text = tr("Batch size %1 cannot run: %2").arg(point.batch).arg(linesFromCore(point.error->what()));
        if (!point.result) continue;
        for (std::size_t i = 0; i < point.result->variants.size(); ++i) {
            const auto& variant = point.result->variants[i];
            if (curves.size() <= i)
                curves.push_back({fromCore(variant.model), i + 1 == point.result->variants.size(), {}});
            const double each = static_cast<double>(point.batch);
            curves[i].points.push_back({static_cast<int>(labels.size()), each / variant.medianMs * 1000,
                                        each / variant.q3Ms * 1000, each / variant.q1Ms * 1000,
                                        tr("%1, batch size %2: %3 per run, %4 per item")
                                            .arg(fromCore(variant.model))
                                            .arg(point.batch)
                                            .arg(timeText(variant.medianMs), timeText(variant.medianMs / each)),
                                        perSecondText(each / variant.medianMs * 1000), isHollow(*point.result)});
        }
        labels << QString::number(point.batch);
    }
    if (text.isEmpty() && m_session && m_session->sweptVersion() &&
        m_session->sweptVersion() != m_session->document().module())
        text = tr("from an earlier version");
    m_sweepText->setText(text);
    m_sweepText->setToolTip(text);
    if (curves.empty()) m_curve->setText(sweeping ? tr("Measuring…") : tr("Items per second at each batch size."));
    else m_curve->setCurves(std::move(curves), labels, tr("items per second"), tr("batch size"), std::nullopt, true);
}

} // namespace ui

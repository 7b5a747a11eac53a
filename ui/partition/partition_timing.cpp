// SPDX-License-Identifier: GPL-3.0-or-later
// What partitions take, each by itself, and what crossing between them costs.
#include "ui/partition/partition_panel.h"

#include "core/timing/timing_text.h"
#include "ui/partition/partition_table_model.h"
#include "ui/partition/stages/stages_view.h"

#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include <cmath>

namespace ui {

namespace {

QString duration(double ms) { return QString::fromStdString(fx::timing::durationText(ms)); }

/// The interval in which the difference between apart and whole lies.
QString interval(const fx::remote::PartitionTimes& times) {
    const double low = (times.ratio.ci95.low - 1) * times.wholeMs, high = (times.ratio.ci95.high - 1) * times.wholeMs;
    const auto withSign = [](double ms) { return (ms < 0 ? QStringLiteral("−") : QString()) + duration(std::abs(ms)); };
    return PartitionPanel::tr("95\u00a0% interval %1 to %2").arg(withSign(low), withSign(high));
}

/// What the modules take by themselves does not add up to what they take one after the other: one of the two was
/// disturbed.
bool contradicts(const fx::remote::PartitionTimes& times) {
    constexpr double kTolerance = 0.15;
    return std::abs(times.sumMs() - times.splitMs) > kTolerance * times.splitMs;
}

QString timesInWords(const fx::remote::PartitionTimes& times) {
    const double more = times.splitMs - times.wholeMs;
    const QString sum =
        PartitionPanel::tr("%1 in partitions + %2 between them = %3")
            .arg(duration(times.sumMs() - times.betweenMs), duration(times.betweenMs), duration(times.sumMs()));
    const QString between = interval(times);
    QString crossing;
    if (times.ratio.verdict == fx::timing::Verdict::TooNoisy)
        crossing = PartitionPanel::tr("too noisy to measure the cost of crossing (%1)%2")
                       .arg(between, times.ratio.why.text().empty()
                                         ? QString()
                                         : QStringLiteral(": ") + QString::fromStdString(times.ratio.why.text()));
    else if (times.ratio.verdict == fx::timing::Verdict::Same)
        crossing = PartitionPanel::tr("crossing costs nothing measurable (%1)").arg(between);
    else if (contradicts(times))
        crossing =
            PartitionPanel::tr("the cost of crossing is uncertain (%1): the separate times do not add up").arg(between);
    else
        crossing = (more > 0 ? PartitionPanel::tr("crossing costs %1 (%2)")
                             : PartitionPanel::tr("separately they are %1 faster (%2)"))
                       .arg(duration(std::abs(more)), between);
    if (times.otherLoad >= 0.1)
        crossing += PartitionPanel::tr("; other processes kept %1 CPUs busy").arg(times.otherLoad, 0, 'f', 1);
    return PartitionPanel::tr("%1. Whole model %2, separate partitions %3: %4.")
        .arg(sum, duration(times.wholeMs), duration(times.splitMs), crossing);
}

} // namespace

void PartitionPanel::setTimer(PartitionTimer timer) {
    m_timer = std::move(timer);
    m_stagesView->setTimer(m_timer);
    updateButtons();
}

/// Starts the measurement, or ends the one that runs.
void PartitionPanel::measure() {
    if (!m_session) return;
    if (m_session->measured() != PartitionSession::Measured::Nothing) return m_session->stopTiming();
    if (m_timer.partitions && m_version && !m_outcome->report.partitions.empty())
        m_session->timePartitions(m_timer, m_version, m_outcome->report.partitions);
}

/// Shows the times of the displayed partitions, or else the progress of timing.
void PartitionPanel::showTimes() {
    const auto* times = m_session ? m_session->timesOf(m_outcome->report.partitions) : nullptr;
    m_partitions->setTimes(times ? std::optional(*times) : std::nullopt);
    m_table->setColumnHidden(PartitionTableModel::Time, !times);
    fitColumns();
    const QString text = times ? timesInWords(*times) : m_session ? m_session->note() : QString();
    m_times->setText(text);
    if (!text.isEmpty()) qCDebug(partitionLog).noquote() << "times:" << text;
    m_times->setToolTip(times ? QString::fromStdString(fx::timing::verdictText(times->ratio)) : QString());
    m_times->setVisible(!text.isEmpty());
    updateButtons();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
// What partitions take, each by itself, and what crossing between them costs.
#include "ui/partition/partition_panel.h"

#include "core/timing/timing_text.h"
#include "ui/partition/partition_table_model.h"

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
    return PartitionPanel::tr("95 % interval %1 to %2").arg(withSign(low), withSign(high));
}

/// What the modules take by themselves does not add up to what they take one after the other: one of the two was
/// disturbed.
bool contradicts(const fx::remote::PartitionTimes& times) {
    constexpr double kTolerance = 0.15;
    return std::abs(times.sumMs() - times.splitMs) > kTolerance * times.splitMs;
}

} // namespace

void PartitionPanel::setTimer(PartitionTimer timer) {
    m_timer = std::move(timer);
    updateButtons();
}

/// Starts the measurement, or ends the one that runs.
void PartitionPanel::measure() {
    if (m_measured != Measured::Nothing) {
        stopMeasuring();
        return showTimes(tr("Timing was stopped."));
    }
    if (!m_timer.start || !m_version || m_outcome->report.partitions.empty()) return;
    m_measured = Measured::Partitions;
    showTimes(tr("Timing each partition and the whole model…"));
    m_timer.start(
        m_version, m_outcome->report.partitions, [this](const fx::remote::PartitionTimes& times) { takeTimes(times); },
        [this](const fx::Error& error) { failTimes(error); });
}

/// Times the nodes of the version, to go on from there.
void PartitionPanel::measureNodes(std::function<void(const fx::NodeTimes&)> then) {
    stopMeasuring();
    m_measured = Measured::Nodes;
    showTimes(tr("Timing nodes to balance the stages…"));
    m_timer.nodes(
        m_version,
        [this, then = std::move(then)](const fx::NodeTimes& times) {
            m_measured = Measured::Nothing;
            showTimes({});
            then(times);
        },
        [this](const fx::Error& error) { failTimes(error); },
        [this](const QString& what, double done) {
            showTimes(tr("Balancing the stages: %1, %2 %")
                          .arg(what.isEmpty() ? tr("timing nodes") : what)
                          .arg(qRound(done * 100)));
        });
}

void PartitionPanel::failTimes(const fx::Error& error) {
    m_measured = Measured::Nothing;
    showTimes(QString::fromStdString(error.what()) +
              (error.hint.empty() ? QString() : QStringLiteral(" — ") + QString::fromStdString(error.hint)));
}

void PartitionPanel::stopMeasuring() {
    if (std::exchange(m_measured, Measured::Nothing) != Measured::Nothing) m_timer.cancel();
}

/// The partitions have changed: what is measured, or was, is not of them. Nodes are timed without them.
void PartitionPanel::forgetTimes() {
    m_partitions->setTimes(std::nullopt);
    m_table->setColumnHidden(PartitionTableModel::Time, true);
    fitColumns();
    if (m_measured == Measured::Nodes) return;
    stopMeasuring();
    showTimes({});
}

void PartitionPanel::takeTimes(const fx::remote::PartitionTimes& times) {
    m_measured = Measured::Nothing;
    m_partitions->setTimes(times);
    m_table->setColumnHidden(PartitionTableModel::Time, false);
    fitColumns();
    const double more = times.splitMs - times.wholeMs;
    const QString sum =
        tr("%1 in partitions + %2 between them = %3")
            .arg(duration(times.sumMs() - times.betweenMs), duration(times.betweenMs), duration(times.sumMs()));
    const QString between = interval(times);
    QString crossing;
    if (times.ratio.verdict == fx::timing::Verdict::TooNoisy)
        crossing =
            tr("too noisy to measure the cost of crossing (%1)%2")
                .arg(between, times.ratio.why.text().empty()
                                  ? QString()
                                  : QStringLiteral(": ") + QString::fromStdString(times.ratio.why.text()));
    else if (times.ratio.verdict == fx::timing::Verdict::Same)
        crossing = tr("crossing costs nothing measurable (%1)").arg(between);
    else if (contradicts(times))
        crossing = tr("the cost of crossing is uncertain (%1): the separate times do not add up").arg(between);
    else
        crossing = (more > 0 ? tr("crossing costs %1 (%2)") : tr("separately they are %1 faster (%2)"))
                       .arg(duration(std::abs(more)), between);
    if (times.otherLoad >= 0.1) crossing += tr("; other processes kept %1 CPUs busy").arg(times.otherLoad, 0, 'f', 1);
    showTimes(tr("%1. Whole model %2, separate partitions %3: %4.")
                  .arg(sum, duration(times.wholeMs), duration(times.splitMs), crossing));
    m_times->setToolTip(QString::fromStdString(fx::timing::verdictText(times.ratio)));
}

void PartitionPanel::showTimes(const QString& text) {
    m_times->setText(text);
    if (!text.isEmpty()) qCDebug(partitionLog).noquote() << "times:" << text;
    m_times->setToolTip({});
    m_times->setVisible(!text.isEmpty());
    updateButtons();
}

} // namespace ui

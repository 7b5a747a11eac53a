// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_table_view.h"

#include "core/timing/timing_text.h"
#include "ui/partition/partition_log.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/unbroken.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

namespace {

QString duration(double ms) { return unbroken(fx::timing::durationText(ms)); }

/// The interval in which the difference between apart and whole lies.
QString interval(const fx::remote::PartitionTimes& times) {
    const double low = (times.ratio.ci95.low - 1) * times.wholeMs, high = (times.ratio.ci95.high - 1) * times.wholeMs;
    const auto withSign = [](double ms) { return (ms < 0 ? QStringLiteral("−") : QString()) + duration(std::abs(ms)); };
    return PartitionTableView::tr("95\u00a0% interval %1 to %2").arg(withSign(low), withSign(high));
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
        PartitionTableView::tr("%1 in partitions + %2 between them = %3")
            .arg(duration(times.sumMs() - times.betweenMs), duration(times.betweenMs), duration(times.sumMs()));
    const QString between = interval(times);
    QString crossing;
    if (times.ratio.verdict == fx::timing::Verdict::TooNoisy)
        crossing = PartitionTableView::tr("too noisy to measure the cost of crossing (%1)%2")
                       .arg(between, times.ratio.why.text().empty()
                                         ? QString()
                                         : QStringLiteral(": ") + linesFromCore(times.ratio.why.text()));
    else if (times.ratio.verdict == fx::timing::Verdict::Same)
        crossing = PartitionTableView::tr("crossing costs nothing measurable (%1)").arg(between);
    else if (contradicts(times))
        crossing = PartitionTableView::tr("the cost of crossing is uncertain (%1): the separate times do not add up")
                       .arg(between);
    else
        crossing = (more > 0 ? PartitionTableView::tr("crossing costs %1 (%2)")
                             : PartitionTableView::tr("separately they are %1 faster (%2)"))
                       .arg(duration(std::abs(more)), between);
    if (times.otherLoad >= 0.1)
        crossing += PartitionTableView::tr("; other processes kept %1 CPUs busy").arg(times.otherLoad, 0, 'f', 1);
    return PartitionTableView::tr("%1. Whole model %2, separate partitions %3: %4.")
        .arg(sum, duration(times.wholeMs), duration(times.splitMs), crossing);
}

} // namespace

PartitionTableView::PartitionTableView(QWidget* parent) : QWidget(parent) {
    m_model = new PartitionTableModel(this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(PartitionTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setStretchLastSection(true);
    int place = PartitionTableModel::Nodes; // time and bytes before the mere counts, which a narrow panel scrolls
    for (const int column : {PartitionTableModel::Time, PartitionTableModel::BytesIn, PartitionTableModel::BytesOut})
        m_table->horizontalHeader()->moveSection(m_table->horizontalHeader()->visualIndex(column), ++place);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &PartitionTableView::fitColumns);
    m_table->horizontalHeader()->setProperty("look", "dense");
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setProperty("look", "field");
    m_table->setMinimumHeight(62);
    m_table->setObjectName(QStringLiteral("partitions"));
    m_table->setAccessibleName(tr("Partitions"));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    const auto partitionAt = [this](const QModelIndex& row) { return m_sorted->mapToSource(row).row(); };
    connect(m_table, &QTableView::customContextMenuRequested, this, [this, partitionAt](const QPoint& position) {
        if (const QModelIndex row = m_table->indexAt(position); row.isValid())
            Q_EMIT menuRequested(partitionAt(row), m_table->viewport()->mapToGlobal(position));
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, partitionAt] {
        if (m_resetting) return;
        std::vector<int> partitions;
        for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) partitions.push_back(partitionAt(row));
        Q_EMIT chosen(partitions);
    });
    m_table->setDragDropMode(QAbstractItemView::DragDrop);
    m_table->setDragDropOverwriteMode(true); // onto rows, not between them
    m_table->setDefaultDropAction(Qt::MoveAction);
    // Partitions change under the view, which is still at the drop: afterwards.
    connect(m_model, &PartitionTableModel::joined, this, &PartitionTableView::joined, Qt::QueuedConnection);
    connect(m_model, &PartitionTableModel::selectionDropped, this, &PartitionTableView::selectionDropped,
            Qt::QueuedConnection);
    m_times = new QLabel(this);
    m_times->setWordWrap(true);
    m_times->setProperty("role", "muted");
    m_times->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_table, 1);
    column->addWidget(m_times);
}

void PartitionTableView::setOutcome(std::shared_ptr<const PartitionOutcome> outcome) {
    m_resetting = true;
    m_model->setOutcome(std::move(outcome));
    m_resetting = false;
}

void PartitionTableView::setBytes(std::shared_ptr<const PartitionOutcome> outcome, const QString& guessed) {
    m_model->setBytes(std::move(outcome), guessed);
    for (const int column : {PartitionTableModel::BytesIn, PartitionTableModel::BytesOut})
        m_table->setColumnHidden(column, !m_model->knowsBytes());
    fitColumns();
}

void PartitionTableView::setTimes(const fx::remote::PartitionTimes* times, const QString& note) {
    m_model->setTimes(times ? std::optional(*times) : std::nullopt);
    m_table->setColumnHidden(PartitionTableModel::Time, !times);
    fitColumns();
    const QString text = times ? timesInWords(*times) : note;
    m_times->setText(text);
    if (!text.isEmpty()) qCDebug(partitionLog).noquote() << "times:" << text;
    m_times->setToolTip(times ? linesFromCore(fx::timing::verdictText(times->ratio)) : QString());
    m_times->setVisible(!text.isEmpty());
}

/// Columns as wide as what is in them: bytes and times say nothing without their units. (ResizeToContents keeps room
/// for an arrow in each of them; then they do not fit into the panel.)
void PartitionTableView::fitColumns() {
    constexpr int kPad = 20, kSwatch = 20, kArrow = 12, kRows = 500;
    const QHeaderView& header = *m_table->horizontalHeader();
    for (int column = 0; column < m_sorted->columnCount(); ++column) {
        int width = header.fontMetrics().horizontalAdvance(m_sorted->headerData(column, Qt::Horizontal).toString()) +
                    (header.sortIndicatorSection() == column ? kArrow : 0);
        for (int row = 0; row < std::min(m_sorted->rowCount(), kRows); ++row)
            width = std::max(width,
                             m_table->fontMetrics().horizontalAdvance(m_sorted->index(row, column).data().toString()) +
                                 (column == PartitionTableModel::Name ? kSwatch : 0));
        m_table->setColumnWidth(column, width + kPad);
    }
}

} // namespace ui

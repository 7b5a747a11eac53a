// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_panel.h"

#include "ui/partition/partition_table_model.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLoggingCategory>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

Q_LOGGING_CATEGORY(partitionLog, "lancet.partition", QtWarningMsg)

PartitionPanel::PartitionPanel(QWidget* parent) : QWidget(parent) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* parts = new QSplitter(Qt::Vertical, this);
    parts->setChildrenCollapsible(false);
    parts->addWidget(makeOperators());
    auto* results = new QWidget(parts);
    auto* lower = new QVBoxLayout(results);
    lower->setContentsMargins(0, 6, 0, 0);
    lower->setSpacing(6);
    lower->addWidget(makeFlags());
    lower->addWidget(makeStatus(), 3);
    lower->addWidget(makeTable(), 2);
    parts->addWidget(results);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    parts->setSizes({320, 400}); // about ten operators
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(parts, 1);
    column->addWidget(makeButtons());
    makeActions();
    showStatus();
}

void PartitionPanel::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_document) m_document->disconnect(this);
    m_document = document;
    m_hand.clear();
    m_draft.forgetNodes();
    if (document) {
        connect(document, &Document::versionChanged, this, &PartitionPanel::takeVersion);
        connect(document, &Document::stateChanged, this, &PartitionPanel::takeVersion);
        connect(document, &Document::shapesChanged, this, &PartitionPanel::takeShapes);
        connect(document, &Document::selectionChanged, this, [this](QObject* source) {
            updateButtons();
            if (source == this) return;
            m_asking.cancel(); // what was asked is not of what is selected now
            m_whatIf->hide();
            explain();
        });
    }
    takeVersion();
}

/// Another model, or another version of it: its operators are listed anew; partitions made by hand name nodes of the
/// old one.
void PartitionPanel::takeVersion() {
    auto version = m_document && m_document->state() == Document::State::Ready ? m_document->module() : nullptr;
    if (version != m_version) {
        stopMeasuring();
        m_asking.cancel();
        m_whatIf->hide();
    }
    m_version = std::move(version);
    m_hand.clear();
    m_listing.cancel();
    take({});
    if (!m_version) {
        m_operators->setOperators({});
        return showStatus();
    }
    if (!m_seen) return; // nobody looks: when somebody does
    m_listing.start(
        [module = m_version](const fx::Progress& progress) {
            return Listed{operatorsOf(*module), std::make_shared<const DrawnGroups>(drawnGroups(*module, progress))};
        },
        this,
        [this](Listed listed) {
            m_groups = std::move(listed.groups);
            m_operators->setOperators(std::move(listed.operators));
            m_operators->setDraft(m_draft, m_nonCompute);
            m_tree->expandAll();
            run();
        });
}

void PartitionPanel::setSeen(bool seen) {
    if (std::exchange(m_seen, seen) == seen) return;
    if (!seen) {
        m_task.cancel();
        m_asking.cancel();
        Q_EMIT stylesChanged();
    } else if (m_document && (m_version != m_document->module() || m_operators->operators().empty())) {
        takeVersion();
    } else {
        run();
        Q_EMIT stylesChanged();
    }
    updateButtons();
}

void PartitionPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_document) return;
    makeStyles();
    drawWhy();
    Q_EMIT stylesChanged();
}

PartitionQuery PartitionPanel::query() const {
    return {m_draft.rules(),         m_hand.empty() ? fx::NamedPartitions() : m_hand.back(),
            m_single->isChecked(),   m_trim->isChecked(),
            m_vertical->isChecked(), m_nonCompute};
}

void PartitionPanel::run() {
    if (!m_version || !m_seen) {
        m_task.cancel();
        return;
    }
    m_task.start(
        [module = m_version, groups = m_groups, query = query()](const fx::Progress& progress) {
            Ran ran{runPartition(*module, query, progress), {}};
            if (groups) ran.shares = groups->shares(module->graph, ran.outcome);
            return ran;
        },
        this,
        [this](Ran ran) {
            m_shares = std::move(ran.shares);
            take(std::move(ran.outcome));
        });
}

void PartitionPanel::take(PartitionOutcome outcome) {
    if (m_version) countBytes(outcome.report, shown());
    m_outcome = std::make_shared<const PartitionOutcome>(std::move(outcome));
    forgetTimes();
    {
        m_selecting = true; // rows that vanish are no choice of the user
        m_partitions->setOutcome(m_outcome);
        m_selecting = false;
    }
    showBytes();
    m_operators->setOutcome(*m_outcome);
    m_way.clear();
    showStatus();
    explain();
    qCDebug(partitionLog, "partitions: %zu refused: %zu", m_outcome->report.partitions.size(),
            m_outcome->report.unassigned.size());
}

/// The version that is partitioned with the shapes that the canvas shows.
const fx::GraphModule& PartitionPanel::shown() const {
    return m_document && m_document->module() == m_version ? *m_document->shown() : *m_version;
}

/// Sizes were found out: partitions, times and marks stay.
void PartitionPanel::takeShapes() {
    if (!m_version || m_document->module() != m_version || m_outcome->report.partitions.empty()) return;
    auto outcome = std::make_shared<PartitionOutcome>(*m_outcome);
    countBytes(outcome->report, shown());
    m_outcome = std::move(outcome);
    showBytes();
    if (m_way.empty()) explain();
}

void PartitionPanel::showBytes() {
    const auto& shapes = m_document ? m_document->shapes() : nullptr;
    m_partitions->setBytes(m_outcome, shapes ? shapes->guessed : QString());
    for (const int column : {PartitionTableModel::BytesIn, PartitionTableModel::BytesOut})
        m_table->setColumnHidden(column, !m_partitions->knowsBytes());
    fitColumns();
}

/// Columns as wide as what is in them: bytes and times say nothing without their units. (ResizeToContents keeps room
/// for an arrow in each of them; then they do not fit into the panel.)
void PartitionPanel::fitColumns() {
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

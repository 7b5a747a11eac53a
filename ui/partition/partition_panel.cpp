// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_panel.h"

#include "ui/partition/partition_table_model.h"
#include "ui/partition/stages/stages_view.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLoggingCategory>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
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
    auto* rules = new QWidget(this);
    auto* column = new QVBoxLayout(rules);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(6);
    column->addWidget(parts, 1);
    column->addWidget(makeButtons());
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(12, 6, 12, 10);
    all->setSpacing(0);
    all->addWidget(makeMode());
    m_pages->addWidget(rules);
    m_pages->addWidget(m_stagesView);
    all->addWidget(m_pages, 1);
    makeActions();
    showStatus();
}

void PartitionPanel::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_document) m_document->disconnect(this), m_document->picture().disconnect(this);
    if (m_session) m_session->disconnect(this);
    m_document = document;
    m_session = document ? PartitionSession::of(*document) : nullptr;
    if (m_stages) m_stages->disconnect(this);
    m_stages = document ? StagesSession::of(*document) : nullptr;
    takeChoices();
    if (document) {
        connect(m_session, &PartitionSession::choicesRestored, this, [this] {
            takeChoices();
            run();
        });
        connect(m_session, &PartitionSession::movesDropped, this, [this](std::size_t count) {
            Q_EMIT notified(
                count == 1 ? tr("This edit dropped a manual move of partitions. Press Ctrl+Z to undo.")
                           : tr("This edit dropped %1 manual moves of partitions. Press Ctrl+Z to undo.").arg(count));
        });
        connect(m_stages, &StagesSession::changed, this, &PartitionPanel::showMode);
        connect(m_stages, &StagesSession::cutsChanged, this, &PartitionPanel::updateStages);
        connect(&document->picture(), &DocumentPicture::pictureChanged, this, &PartitionPanel::updateStages);
        connect(m_session, &PartitionSession::proposed, this, &PartitionPanel::showProposal);
        connect(m_session, &PartitionSession::timesChanged, this, &PartitionPanel::showTimes);
        connect(m_session, &PartitionSession::profileChanged, this, &PartitionPanel::showProfile);
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
    m_stagesView->setDocument(document);
    takeVersion();
    showMode();
    if (m_session) showProfile(); // it may have been found meanwhile
}

/// Another model, or another version of it: its operators are listed anew.
void PartitionPanel::takeVersion() {
    auto version = m_document && m_document->state() == Document::State::Ready ? m_document->module() : nullptr;
    if (version != m_version) {
        m_asking.cancel();
        m_whatIf->hide();
    }
    m_version = std::move(version);
    m_hand = m_session ? m_session->hand() : decltype(m_hand)();
    m_listing.cancel();
    m_listedVersion.reset();
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
            m_listedVersion = m_version;
            m_operators->setDraft(m_draft, m_nonCompute);
            m_tree->expandAll();
            run();
        });
}

void PartitionPanel::setSeen(bool seen) {
    if (std::exchange(m_seen, seen) == seen) return;
    if (!seen) {
        if (m_session) m_session->dropProposal();
        m_asking.cancel();
    } else if (m_document && (m_version != m_document->module() || m_listedVersion != m_version)) {
        takeVersion();
    } else {
        run();
    }
    updateStages();
    updateButtons();
}

void PartitionPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_document) return;
    makeStyles();
    drawWhy();
    updateStages();
    Q_EMIT stylesChanged();
}

/// Choices belong to their document.
void PartitionPanel::keepChoices() {
    if (m_session) m_session->setChoices({m_draft, m_nonCompute, flags()}, m_hand);
}

void PartitionPanel::takeChoices() {
    const PartitionChoices choices = m_session ? m_session->choices() : PartitionChoices();
    m_draft = choices.draft;
    m_nonCompute = choices.nonCompute;
    m_hand = m_session ? m_session->hand() : decltype(m_hand)();
    showFlags(choices.flags);
    showDraft();
}

PartitionQuery PartitionPanel::query() const {
    return {m_draft.rules(),         m_hand.empty() ? fx::NamedPartitions() : m_hand.back(),
            m_single->isChecked(),   m_trim->isChecked(),
            m_vertical->isChecked(), m_nonCompute};
}

void PartitionPanel::run() {
    if (!m_session) return;
    keepChoices();
    if (!m_version || !m_seen || showsStages()) return m_session->dropProposal();
    m_session->propose(m_version, m_groups, query());
    if (m_session->proposal()) showProposal(); // known from before
}

void PartitionPanel::showProposal() {
    const PartitionProposal* proposal = m_session->proposal();
    m_shares = proposal ? proposal->shares : decltype(m_shares)();
    take(proposal ? proposal->outcome : PartitionOutcome());
}

void PartitionPanel::take(PartitionOutcome outcome) {
    if (m_version) countBytes(outcome.report, shown());
    m_outcome = std::make_shared<const PartitionOutcome>(std::move(outcome));
    showTimes();
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Of what the panel consists.
#include "ui/timing/curve_chart.h"
#include "ui/timing/node_times_model.h"
#include "ui/timing/share_delegate.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

QWidget* TimingPanel::makeHead() {
    auto* head = new QWidget(this);
    m_verdict = new QLabel(head);
    m_verdict->setFont(semiboldFont());
    m_verdict->setTextFormat(Qt::PlainText);
    m_detail = new WrappedLabel(head);
    m_detail->setTextFormat(Qt::PlainText);
    m_detail->setProperty("role", "muted");
    m_threads = new QComboBox(head);
    m_threads->addItem(tr("all threads"), 0);
    m_threads->addItem(tr("1 thread"), 1);
    m_threads->setAccessibleName(tr("Threads"));
    m_threads->setToolTip(tr("Measurements with other thread counts are kept"));
    m_seconds = new QDoubleSpinBox(head);
    m_seconds->setRange(0.5, 600);
    m_seconds->setDecimals(1);
    m_seconds->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_seconds->setFixedWidth(72);
    m_seconds->setValue(TimingSettings().seconds);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setAccessibleName(tr("Seconds"));
    m_seconds->setToolTip(
        tr("How long to measure; longer runs resolve smaller differences. Timing nodes takes half as long again."));
    m_heat = new QToolButton(head);
    m_heat->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_copy = new QToolButton(head);
    m_copy->setText(tr("Copy"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    menu->addAction(tr("Copy as &Text"), this, &TimingPanel::copyText);
    menu->addAction(tr("Copy Nodes and Batch Sizes as &CSV"), this, &TimingPanel::copyCsv);
    menu->addAction(tr("Copy as &JSON"), this, &TimingPanel::copyJson);
    m_copy->setMenu(menu);
    m_inputs = new QPushButton(tr("Inputs…"), head);
    m_start = new QPushButton(head);
    m_start->setProperty("primary", true);
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(12, 8, 8, 6);
    column->setSpacing(2);
    column->addWidget(flowOf(head, {m_threads, m_seconds, m_heat, m_copy, m_inputs, m_start}, FlowLayout::Rest::Empty,
                             4)); // one row at 1280 pixels, whatever the verdict is
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_verdict, 0, Qt::AlignTop);
    row->addWidget(m_detail, 1);
    column->addLayout(row);
    connect(m_start, &QPushButton::clicked, this, &TimingPanel::startOrStop);
    connect(m_inputs, &QPushButton::clicked, this, &TimingPanel::inputsRequested);
    connect(m_threads, &QComboBox::currentIndexChanged, this, &TimingPanel::takeSettings);
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &TimingPanel::takeSettings);
    return head;
}

QWidget* TimingPanel::makeEmpty() {
    auto* page = new QWidget(this);
    m_emptyText = new QLabel(page);
    m_emptyText->setWordWrap(true);
    m_emptyText->setTextFormat(Qt::PlainText);
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setProperty("role", "muted");
    m_emptyButton = new QPushButton(page);
    m_emptyButton->setProperty("primary", true);
    connect(m_emptyButton, &QPushButton::clicked, this, [this] {
        m_session->state() == TimingSession::State::NeedsInputs ? Q_EMIT inputsRequested() : m_session->start();
    });
    auto* column = new QVBoxLayout(page);
    column->addStretch(1);
    column->addWidget(m_emptyText); // as wide as there is room: its height follows
    column->addSpacing(4);
    column->addWidget(m_emptyButton, 0, Qt::AlignHCenter);
    column->addStretch(2);
    return page;
}

void TimingPanel::setUpTable(QTableView& table, QAbstractItemModel* model, QSortFilterProxyModel*& sorted,
                             const QString& name) {
    sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(model);
    sorted->setSortRole(kSortRole);
    table.setModel(sorted);
    table.setItemDelegate(new ShareDelegate(&table));
    table.setSortingEnabled(true);
    table.sortByColumn(NodeTimesModel::Time, Qt::DescendingOrder);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    table.setFrameShape(QFrame::NoFrame);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setAccessibleName(name);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(24);
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setStretchLastSection(true);
    table.horizontalHeader()->resizeSection(0, 170);
    table.horizontalHeader()->resizeSection(1, 220);
}

QWidget* TimingPanel::makeNodes() {
    auto* page = new QWidget(this);
    m_whose = new QLabel(page);
    m_whose->setTextFormat(Qt::PlainText);
    m_whose->setContentsMargins(12, 4, 12, 4);
    m_whose->setProperty("role", "warning");
    m_nodes = new FrozenTable(page);
    setUpTable(*m_nodes, m_nodeTimes, m_sortedNodes, tr("Node times, longest first"));
    const int widths[] = {170, 190, 64, 80, 92, 150, 96, 84, 100, 190, 250, 70};
    for (int column = 0; column < NodeTimesModel::kColumns; ++column)
        m_nodes->horizontalHeader()->resizeSection(column, widths[column]);
    m_nodes->adoptLook();
    connect(m_nodes, &QTableView::clicked, this, &TimingPanel::goToNode);
    connect(m_nodes, &QTableView::activated, this, &TimingPanel::goToNode);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_whose);
    column->addWidget(m_nodes, 1);
    return page;
}

QWidget* TimingPanel::makeSweep() {
    auto* page = new QWidget(this);
    auto* label = new QLabel(tr("Batch Sizes"), page);
    m_batches = new QLineEdit(QStringLiteral("1, 2, 4, 8, 16"), page);
    m_batches->setMaximumWidth(200);
    m_batches->setAccessibleName(tr("Batch Sizes"));
    label->setBuddy(m_batches);
    m_sweep = new QPushButton(page);
    m_sweepText = new ElidedLabel(page);
    m_sweepText->setProperty("role", "muted");
    m_curve = new CurveChart(page);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 6, 8, 2);
    row->setSpacing(8);
    row->addWidget(label);
    row->addWidget(m_batches);
    row->addWidget(m_sweep);
    row->addWidget(m_sweepText, 1);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_curve, 1);
    connect(m_sweep, &QPushButton::clicked, this, &TimingPanel::startSweep);
    connect(m_batches, &QLineEdit::returnPressed, this, &TimingPanel::startSweep);
    connect(m_batches, &QLineEdit::textChanged, this, &TimingPanel::showSweep);
    return page;
}

} // namespace ui

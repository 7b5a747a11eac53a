// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the Stages page and what they are connected to.
#include "ui/partition/stages/stage_table_model.h"
#include "ui/partition/stages/stages_view.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/text_button.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

namespace ui {

QWidget* StagesView::makeChoices() {
    m_count = new QSpinBox(this);
    m_count->setObjectName(QStringLiteral("stageCount"));
    m_count->setAccessibleName(tr("Number of stages"));
    m_count->setToolTip(tr("Number of stages; one process runs each"));
    m_count->setRange(1, StagesSession::kMostStages);
    m_count->setKeyboardTracking(false);
    m_measure = new QComboBox(this);
    m_measure->setObjectName(QStringLiteral("stageMeasure"));
    m_measure->setAccessibleName(tr("Balanced by"));
    m_measure->addItems({tr("estimated time"), tr("measured time"), tr("parameters"), tr("number of calls")});
    connect(m_count, &QSpinBox::valueChanged, this, &StagesView::propose);
    connect(m_measure, &QComboBox::activated, this, &StagesView::propose);
    return flowOf(this, {m_count, new QLabel(tr("stages, balanced by"), this), m_measure});
}

QWidget* StagesView::makeStages() {
    m_model = new StageTableModel(this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("stages"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setProperty("look", "field");
    m_table->setAccessibleName(tr("Stages"));
    m_table->setMinimumHeight(84);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setProperty("look", "dense");
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(56); // a narrower one cuts its title
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (row.isValid()) chooseStage(row.row());
    });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& row) { chooseStage(row.row()); });
    return m_table;
}

QWidget* StagesView::makeButtons() {
    m_undo = textButton(tr("Undo"), tr("Undo the last change of the stages (Ctrl+Z while a cut is current)"), this);
    m_redo = textButton(tr("Redo"), tr("Redo the last change of the stages"), this);
    m_rebalance = new QPushButton(tr("Rebalance"), this);
    m_stop = new QPushButton(tr("Stop"), this);
    m_stop->setToolTip(tr("Stop timing"));
    m_export = new QPushButton(tr("Export Stages…"), this);
    m_export->setProperty("primary", true);
    connect(m_undo, &QToolButton::clicked, this, [this] { m_session->undo(); });
    connect(m_redo, &QToolButton::clicked, this, [this] { m_session->redo(); });
    connect(m_rebalance, &QPushButton::clicked, this, &StagesView::propose);
    connect(m_stop, &QPushButton::clicked, this, [this] { PartitionSession::of(*m_document)->stopTiming(); });
    connect(m_export, &QPushButton::clicked, this, [this] { exportStages(); });
    return flowOf(this, {m_undo, m_redo, m_rebalance, m_stop, m_export}, FlowLayout::Rest::Fill);
}

} // namespace ui

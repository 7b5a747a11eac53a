// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/problems_panel.h"

#include "ui/widgets/theme.h"

#include <QHeaderView>
#include <QPainter>

namespace ui {

ProblemsPanel::ProblemsPanel(QWidget* parent) : QTableView(parent), m_model(new ProblemsModel(this)) {
    setModel(m_model);
    setAccessibleName(tr("Problems"));
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(25);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSectionResizeMode(ProblemsModel::What, QHeaderView::Stretch);
    horizontalHeader()->setSectionResizeMode(ProblemsModel::Place, QHeaderView::Interactive);
    horizontalHeader()->resizeSection(ProblemsModel::Place, 280);
    connect(this, &QTableView::clicked, this, &ProblemsPanel::lead);
    connect(this, &QTableView::activated, this, &ProblemsPanel::lead);
}

void ProblemsPanel::setDocument(Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) connect(document, &Document::problemsChanged, this, &ProblemsPanel::showProblems);
    showProblems();
}

void ProblemsPanel::showProblems() {
    m_model->setProblems(m_document ? m_document->problems() : std::vector<Problem>());
    horizontalHeader()->setVisible(m_model->rowCount() > 0);
    viewport()->update();
}

void ProblemsPanel::lead(const QModelIndex& index) {
    if (m_document) m_document->goTo(m_model->at(index.row()).node, this);
}

void ProblemsPanel::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (m_model->rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setPen(theme().muted);
    painter.drawText(viewport()->rect().adjusted(16, 14, -16, -14), Qt::AlignTop | Qt::AlignLeft,
                     m_document ? tr("No problems.") : tr("No file is open."));
}

} // namespace ui

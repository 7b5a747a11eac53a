// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/problems_panel.h"

#include "ui/document/source_problems.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

namespace ui {

namespace {

/// Long names break behind their dots and underscores.
class WrappingDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->text = breakable(option->text);
    }
};

} // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent) : QTableView(parent), m_model(new ProblemsModel(this)) {
    setModel(m_model);
    setAccessibleName(tr("Problems"));
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setShowGrid(false);
    setWordWrap(true);
    setVerticalScrollMode(ScrollPerPixel); // rows differ in height
    setItemDelegate(new WrappingDelegate(this));
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(25);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSectionResizeMode(ProblemsModel::What, QHeaderView::Stretch);
    horizontalHeader()->setSectionResizeMode(ProblemsModel::Place, QHeaderView::Interactive);
    horizontalHeader()->resizeSection(ProblemsModel::Place, 200);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ProblemsPanel::fitRows);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, &ProblemsPanel::fitRows, Qt::QueuedConnection);
    connect(this, &QTableView::clicked, this, &ProblemsPanel::lead);
    connect(this, &QTableView::activated, this, &ProblemsPanel::lead);
}

void ProblemsPanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) {
        connect(&document->facts(), &VersionFacts::problemsChanged, this, &ProblemsPanel::showProblems);
        connect(document, &Document::sourceChanged, this, &ProblemsPanel::showProblems);
    }
    showProblems();
}

void ProblemsPanel::showProblems() {
    m_model->setProblems(m_document ? allProblems(*m_document) : std::vector<Problem>());
    horizontalHeader()->setVisible(m_model->rowCount() > 0);
    bool hasPlaces = false;
    for (int row = 0; row < m_model->rowCount() && !hasPlaces; ++row) hasPlaces = !m_model->at(row).place.isEmpty();
    setColumnHidden(ProblemsModel::Place, !hasPlaces); // its room is for the text
    viewport()->update();
    fitRows();
}

/// Only those that are seen: a model may have thousands.
void ProblemsPanel::fitRows() {
    for (int row = std::max(0, rowAt(0)); row < m_model->rowCount(); ++row) {
        if (rowViewportPosition(row) > viewport()->height()) break;
        resizeRowToContents(row);
    }
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitRows();
}

void ProblemsPanel::lead(const QModelIndex& index) {
    if (m_document) m_document->selection().goTo(m_model->at(index.row()).node, this);
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

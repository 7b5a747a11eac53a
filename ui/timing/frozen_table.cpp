// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/frozen_table.h"

#include <QHeaderView>
#include <QScrollBar>

#include <algorithm>

namespace ui {

// A second view of the same model and selection lies over the first column, as in Qt's example "Frozen Column".
FrozenTable::FrozenTable(QWidget* parent) : QTableView(parent), m_frozen(new QTableView(this)) {
    m_frozen->setObjectName(QStringLiteral("frozenColumn"));
    m_frozen->setFocusPolicy(Qt::NoFocus); // keys belong to the whole table
    m_frozen->setFrameShape(QFrame::NoFrame);
    m_frozen->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_frozen->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_frozen->setVerticalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    m_frozen->verticalHeader()->hide();
    viewport()->stackUnder(m_frozen);
    connect(m_frozen->verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(), &QScrollBar::setValue);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_frozen->verticalScrollBar(), &QScrollBar::setValue);
    connect(m_frozen, &QTableView::clicked, this, &FrozenTable::clicked);
    connect(m_frozen, &QTableView::doubleClicked, this, &FrozenTable::doubleClicked);
    QHeaderView *here = horizontalHeader(), *there = m_frozen->horizontalHeader();
    connect(here, &QHeaderView::sectionResized, this, &FrozenTable::place);
    connect(there, &QHeaderView::sectionResized, this, [this, here](int column, int, int size) {
        if (column == 0 && here->sectionSize(0) != size) here->resizeSection(0, size);
    });
    connect(here, &QHeaderView::sortIndicatorChanged, there, &QHeaderView::setSortIndicator);
    connect(there, &QHeaderView::sortIndicatorChanged, this, [here](int column, Qt::SortOrder order) {
        if (here->sortIndicatorSection() != column || here->sortIndicatorOrder() != order)
            here->setSortIndicator(column, order);
    });
}

void FrozenTable::setModel(QAbstractItemModel* model) {
    QTableView::setModel(model);
    m_frozen->setModel(model);
    m_frozen->setSelectionModel(selectionModel());
    for (int column = 1; model && column < model->columnCount(); ++column) m_frozen->setColumnHidden(column, true);
}

void FrozenTable::adoptLook() {
    m_frozen->setItemDelegate(itemDelegate());
    m_frozen->setShowGrid(showGrid());
    m_frozen->setWordWrap(wordWrap());
    m_frozen->setTextElideMode(textElideMode());
    m_frozen->setSelectionBehavior(selectionBehavior());
    m_frozen->setSelectionMode(selectionMode());
    m_frozen->verticalHeader()->setDefaultSectionSize(verticalHeader()->defaultSectionSize());
    m_frozen->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView *here = horizontalHeader(), *there = m_frozen->horizontalHeader();
    there->setHighlightSections(here->highlightSections());
    there->setSectionsClickable(here->sectionsClickable());
    there->setSortIndicatorShown(here->isSortIndicatorShown());
    there->setSortIndicator(here->sortIndicatorSection(), here->sortIndicatorOrder());
    place();
}

void FrozenTable::place() {
    if (!model()) return;
    m_frozen->setColumnWidth(0, columnWidth(0));
    m_frozen->horizontalHeader()->setFixedHeight(horizontalHeader()->height());
    m_frozen->setGeometry(frameWidth(), frameWidth(), std::min(columnWidth(0), viewport()->width()),
                          viewport()->height() + horizontalHeader()->height());
}

void FrozenTable::updateGeometries() {
    QTableView::updateGeometries();
    place();
}

/// The cell must not stay under the column that is in place.
void FrozenTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
    if (index.column() > 0) {
        QTableView::scrollTo(index, hint);
        const int covered = columnWidth(0) - visualRect(index).left();
        if (covered > 0) horizontalScrollBar()->setValue(horizontalScrollBar()->value() - covered);
        return;
    }
    const int aside = horizontalScrollBar()->value(); // it is in view already, however far the others have moved
    QTableView::scrollTo(index, hint);
    horizontalScrollBar()->setValue(aside);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/frozen_table.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>

using namespace ui;

class TestFrozenTable : public QObject {
    Q_OBJECT

    std::unique_ptr<QStandardItemModel> m_model;
    std::unique_ptr<FrozenTable> m_table;

private Q_SLOTS:
    void init() {
        m_model = std::make_unique<QStandardItemModel>(30, 6);
        for (int row = 0; row < 30; ++row)
            for (int column = 0; column < 6; ++column)
                m_model->setItem(row, column, new QStandardItem(QStringLiteral("%1 %2").arg(row, 2).arg(column)));
        m_table = std::make_unique<FrozenTable>();
        m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
        m_table->verticalHeader()->hide();
        m_table->setModel(m_model.get());
        m_table->setSortingEnabled(true);
        m_table->sortByColumn(0, Qt::AscendingOrder);
        for (int column = 0; column < 6; ++column) m_table->setColumnWidth(column, 120);
        m_table->adoptLook();
        m_table->resize(400, 200);
        m_table->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_table.get()));
    }

    void scrolledAside_firstColumnStays() {
        m_table->horizontalScrollBar()->setValue(m_table->horizontalScrollBar()->maximum());
        QVERIFY(m_table->visualRect(m_model->index(0, 0)).right() < 0); // the column itself has gone
        const QWidget* there = m_table->childAt(20, m_table->horizontalHeader()->height() + 5);
        QCOMPARE(there, m_table->frozen()->viewport());
        QCOMPARE(m_table->frozen()->width(), 120);
    }

    void scrolledDown_rowsStandBesideEachOther() {
        m_table->verticalScrollBar()->setValue(77);
        const QModelIndex name = m_model->index(8, 0), other = m_model->index(8, 1);
        QCOMPARE(m_table->frozen()->visualRect(name).top(), m_table->visualRect(other).top());
        m_table->frozen()->verticalScrollBar()->setValue(31); // the wheel over the names
        QCOMPARE(m_table->verticalScrollBar()->value(), 31);
    }

    void currentCell_isNotUnderTheColumn() {
        m_table->horizontalScrollBar()->setValue(m_table->horizontalScrollBar()->maximum());
        m_table->setCurrentIndex(m_model->index(0, 1));
        QVERIFY(m_table->visualRect(m_model->index(0, 1)).left() >= m_table->columnWidth(0));
    }

    void name_isClickedAndSortedAsTheRest() {
        QSignalSpy clicked(m_table.get(), &QTableView::clicked);
        QTableView* names = m_table->frozen();
        QTest::mouseClick(names->viewport(), Qt::LeftButton, {}, names->visualRect(m_model->index(2, 0)).center());
        QCOMPARE(clicked.size(), 1);
        QVERIFY(m_table->selectionModel()->isRowSelected(2, {}));
        QHeaderView* title = names->horizontalHeader();
        QTest::mouseClick(title->viewport(), Qt::LeftButton, {}, QPoint(40, title->height() / 2));
        QCOMPARE(m_model->index(0, 0).data().toString(), QStringLiteral("29 0"));
        QCOMPARE(m_table->horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
    }
};

QTEST_MAIN(TestFrozenTable)
#include "tst_frozen_table.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fill_delegate.h"
#include "ui/widgets/ramp.h"

#include <QApplication>
#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

using namespace ui;

/// Cells with colours, under the style sheet of the window.
class TestFillDelegate : public QObject {
    Q_OBJECT

    static QColor pixel(const QTableView& table, int row) {
        const QRect cell = table.visualRect(table.model()->index(row, 0));
        return table.viewport()->grab().toImage().pixelColor(cell.topLeft() + QPoint(2, 2));
    }

private Q_SLOTS:
    void fill_isPainted_andItsTextReadable_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void fill_isPainted_andItsTextReadable() {
        QFETCH(bool, dark);
        applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
        QStandardItemModel model(11, 1);
        for (int row = 0; row < model.rowCount(); ++row) {
            const QColor fill = rampColor(theme(), Ramp::Errors, row / 10.0);
            const QColor text = readableOn(fill, theme().text);
            QVERIFY2(contrastRatio(fill, text) >= 4.5, qPrintable(fill.name()));
            model.setItem(row, 0, new QStandardItem(QStringLiteral("12.3 dB")));
            model.item(row)->setBackground(fill);
            model.item(row)->setForeground(text);
        }
        QTableView table;
        table.setModel(&model);
        table.setItemDelegate(new FillDelegate(&table));
        table.setSelectionBehavior(QAbstractItemView::SelectRows);
        table.resize(300, 500);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        const auto isFilled = [&](int row) {
            return pixel(table, row).rgb() == model.item(row)->background().color().rgb();
        };
        for (int row = 0; row < model.rowCount(); ++row) QVERIFY2(isFilled(row), qPrintable(pixel(table, row).name()));
        QTest::mouseMove(table.viewport(), table.visualRect(model.index(10, 0)).center());
        QVERIFY(isFilled(10)); // its text would not be readable on the colour of what is under the pointer
        table.selectRow(10);
        QCOMPARE(pixel(table, 10).name(), theme().accentBackground.name());
    }
};

QTEST_MAIN(TestFillDelegate)
#include "tst_fill_delegate.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/shell/command_palette.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestCommandPalette : public QObject {
    Q_OBJECT

    static QStringList rows(const CommandPalette& palette) {
        QStringList texts;
        for (int row = 0; row < palette.list()->model()->rowCount(); ++row)
            texts << palette.list()->model()->index(row, 0).data().toString();
        return texts;
    }
    static QAction* named(const QString& path, QObject* parent) {
        auto* action = new QAction(path, parent);
        action->setProperty("path", path);
        return action;
    }

private Q_SLOTS:
    void fuzzyScore_letters_inOrderAndBetterAtWordStarts() {
        QCOMPARE(fuzzyScore(u"xyz", u"View: Fit"), -1);
        QVERIFY(fuzzyScore(u"fit", u"View: Fit") > fuzzyScore(u"fit", u"File: Export as it"));
        QVERIFY(fuzzyScore(u"zi", u"View: Zoom In") > fuzzyScore(u"zi", u"Edit: Resize it"));
        QVERIFY(fuzzyScore(u"", u"anything") >= -20);
        QCOMPARE(fuzzyScore(u"cse", u"Close"), -1); // in order, but neither words nor parts of words
        QVERIFY(fuzzyScore(u"cp", u"Copy Code as Python") >= 0);
        QVERIFY(fuzzyScore(u"cop", u"Copy Code") > fuzzyScore(u"cop", u"Microscopy"));
    }

    void type_text_actionsThenNodes() {
        QWidget window;
        window.resize(1000, 700);
        CommandPalette palette(&window);
        QAbstractItemModelTester tester(palette.list()->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        QTRY_VERIFY(document.facts().index());
        palette.open(
            {named(QStringLiteral("Edit: Reload users"), &window), named(QStringLiteral("View: Fit"), &window)},
            &document);
        QTest::keyClicks(palette.field(), QStringLiteral("relu"));
        QTRY_COMPARE(rows(palette), (QStringList{QStringLiteral("Edit: Reload users"), QStringLiteral("relu")}));
        QTest::keyClick(palette.field(), Qt::Key_Down);
        QTest::keyClick(palette.field(), Qt::Key_Return);
        QVERIFY(!palette.isVisible());
        QCOMPARE(document.selection().nodes(), std::vector<fx::NodeId>{document.module()->graph.find("relu")});
    }

    void actions_thatCanBeDone_comeFirst() {
        QWidget window;
        CommandPalette palette(&window);
        QAction *fit = named(QStringLiteral("Fit"), &window),
                *other = named(QStringLiteral("View: First of its kind"), &window);
        fit->setEnabled(false);
        palette.open({fit, other}, nullptr);
        QTest::keyClicks(palette.field(), QStringLiteral("fi"));
        QTRY_COMPARE(rows(palette), (QStringList{QStringLiteral("View: First of its kind"), QStringLiteral("Fit")}));
        fit->setEnabled(true);
        palette.open({fit, other}, nullptr);
        QTest::keyClicks(palette.field(), QStringLiteral("fi"));
        QTRY_COMPARE(rows(palette), (QStringList{QStringLiteral("Fit"), QStringLiteral("View: First of its kind")}));
    }

    void names_ofActions_beforeThoseOfTheirMenus() {
        QWidget window;
        CommandPalette palette(&window);
        QAction *rule = named(QStringLiteral("Partition: Toggle “Allow single nodes”"), &window),
                *panel = named(QStringLiteral("View: Panels: Partition"), &window),
                *verb = named(QStringLiteral("Graph: Partition Graph"), &window),
                *verify = named(QStringLiteral("Run: Verify Against Original"), &window),
                *other = named(QStringLiteral("View: Verify panel"), &window);
        verify->setIconText(QStringLiteral("Verify")); // what it is called in short
        for (QAction* action : {rule, panel, verb, other})
            action->setIconText(action->text().section(QStringLiteral(": "), -1));
        verb->setEnabled(false);
        palette.open({rule, verb, panel, other, verify}, nullptr);
        QTest::keyClicks(palette.field(), QStringLiteral("partition"));
        QTRY_COMPARE(rows(palette), (QStringList{panel->text(), verb->text(), rule->text()}));
        palette.open({rule, verb, panel, other, verify}, nullptr);
        QTest::keyClicks(palette.field(), QStringLiteral("verify"));
        QTRY_COMPARE(rows(palette), (QStringList{verify->text(), other->text()}));
    }

    void nothingFound_isSaid() {
        QWidget window;
        CommandPalette palette(&window);
        palette.open({named(QStringLiteral("View: Fit"), &window)}, nullptr);
        QVERIFY(palette.nothing()->isHidden());
        QTest::keyClicks(palette.field(), QStringLiteral("zzz"));
        QTRY_VERIFY(!palette.nothing()->isHidden());
        QCOMPARE(palette.nothing()->text(), QStringLiteral("No command matches “zzz”"));
    }

    void height_isThatOfWhatIsFound() {
        QWidget window;
        window.resize(1280, 800);
        CommandPalette palette(&window);
        QList<QAction*> actions;
        for (int i = 0; i < 40; ++i) actions << named(QStringLiteral("View: Fit %1").arg(i), &window);
        palette.open(actions, nullptr);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const int whole = palette.height();
        QCOMPARE(whole, 420);
        QTest::keyClicks(palette.field(), QStringLiteral("fit 17"));
        QTRY_COMPARE(palette.list()->model()->rowCount(), 1);
        const int one = palette.height();
        QVERIFY2(one < 150, qPrintable(QString::number(one)));
        QVERIFY(palette.list()->height() >= palette.list()->sizeHintForRow(0)); // it can be read
        QVERIFY(!palette.list()->verticalScrollBar()->isVisible());
        QTest::keyClicks(palette.field(), QStringLiteral("zzz"));
        QTRY_VERIFY(!palette.nothing()->isHidden());
        QVERIFY2(palette.height() < 150, qPrintable(QString::number(palette.height())));
        palette.field()->clear();
        QCOMPARE(palette.height(), whole);
    }

    void enter_action_isTriggeredUnlessDisabled() {
        QWidget window;
        CommandPalette palette(&window);
        QAction* fit = named(QStringLiteral("View: Fit"), &window);
        QSignalSpy triggered(fit, &QAction::triggered);
        fit->setEnabled(false);
        fit->setProperty("why", QStringLiteral("no file is open"));
        palette.open({fit}, nullptr);
        QTest::keyClick(palette.field(), Qt::Key_Return);
        QCOMPARE(triggered.size(), 0);
        QCOMPARE(palette.list()->model()->index(0, 0).data(PaletteModel::DetailRole).toString(),
                 QStringLiteral("no file is open"));
        fit->setEnabled(true);
        palette.open({fit}, nullptr);
        QTest::keyClick(palette.field(), Qt::Key_Return);
        QCOMPARE(triggered.size(), 1);
    }
};

QTEST_MAIN(TestCommandPalette)
#include "tst_command_palette.moc"

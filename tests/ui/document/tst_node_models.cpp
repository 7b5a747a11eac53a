// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/node_table_model.h"
#include "ui/document/problems_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestNodeModels : public QObject {
    Q_OBJECT

    static QStringList column(const QAbstractItemModel& model, int column) {
        QStringList cells;
        for (int row = 0; row < model.rowCount(); ++row) cells << model.index(row, column).data().toString();
        return cells;
    }

private Q_SLOTS:
    void table_smallNet_columnsOfPrintTabular() {
        NodeTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModule(testing::smallNet());
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("opcode"));
        QCOMPARE(column(model, NodeTableModel::Opcode),
                 (QStringList{"placeholder", "call_module", "call_function", "call_method", "output"}));
        QCOMPARE(column(model, NodeTableModel::Name), (QStringList{"x", "first_conv", "relu", "view", "output"}));
        QCOMPARE(column(model, NodeTableModel::Type), (QStringList{"", "Conv2d", "", "", ""}));
        QCOMPARE(column(model, NodeTableModel::Shape), (QStringList{"", "", "1×64×56", "", ""}));
        QCOMPARE(model.index(3, NodeTableModel::Args).data().toString(), QStringLiteral("(relu, '<i>text</i>', -1)"));
    }

    /// A hidden view of a million nodes only asks how many there are.
    void rows_ofAWholeGraph_areCollectedWhenTheyAreAskedFor() {
        NodeTableModel model;
        const auto net = testing::chain(100);
        model.setModule(net);
        QVERIFY(model.isWhole());
        QCOMPARE(model.rowCount(), static_cast<int>(net->graph.size()));
        QVERIFY(model.isWhole());
        const std::vector<fx::NodeId> order = net->graph.order();
        QCOMPARE(model.rowOf(order[7]), 7);
        QVERIFY(!model.isWhole());
        QVERIFY(model.rows() == order);
        QVERIFY(model.nodeAt(99) == order[99]);
        model.setRows({order[3], order[1]});
        QVERIFY(!model.isWhole());
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.rowOf(order[7]), -1);
        model.setModule(net);
        QCOMPARE(model.nodeAt(3), order[3]);
        model.setModule(nullptr);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.rowOf(order[0]), -1);
    }

    void tooltip_textLikeHtml_isEscaped() {
        NodeTableModel model;
        model.setModule(testing::smallNet());
        const QString tip = model.index(3, NodeTableModel::Args).data(Qt::ToolTipRole).toString();
        QVERIFY2(!tip.contains(QStringLiteral("<i>")), qPrintable(tip));
        QCOMPARE(plainToolTip({}), QString()); // an empty one would be an empty box
    }

    void opcode_onHover_saysWhatItIs() {
        NodeTableModel model;
        model.setModule(testing::smallNet());
        const QString tip = model.index(1, NodeTableModel::Opcode).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("graph.call_module(")), qPrintable(tip));
    }

    void problem_isAShapeMismatch_onlyIfLibTorchRefusedTheShapes() {
        fx::ShapeFailure failure;
        failure.node = "l";
        failure.operands.push_back({"x", {}, "x"});
        failure.cause = "x";
        failure.what = fx::Message("engine.missing_module", {{"path", "ll"}});
        QCOMPARE(problemOf(failure, fx::kNoNode, {}).what, QStringLiteral("the model has no module 'll'"));
        failure.what = fx::Message("engine.torch", {{"detail", "sizes differ"}});
        const QString what = problemOf(failure, fx::kNoNode, {}).what;
        QVERIFY2(what.startsWith(QStringLiteral("shape mismatch: given x")), qPrintable(what));
        QVERIFY2(what.endsWith(QStringLiteral("sizes differ")), qPrintable(what));
    }

    void rows_filtered_indexesFollow() {
        NodeListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto net = testing::smallNet();
        model.setModule(net);
        const fx::NodeId relu = net->graph.find("relu"), view = net->graph.find("view");
        model.setRows({view, relu});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.rowOf(relu), 1);
        QCOMPARE(model.rowOf(net->graph.find("x")), -1);
        QCOMPARE(column(model, 0), (QStringList{"view", "relu"}));
        QCOMPARE(model.index(1, 0).data(NodeRowsModel::DetailRole).toString(), QStringLiteral("torch.relu"));
        model.setModule(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void orderedRows_sortAndFilter_stableAndNatural() {
        const auto net = testing::chain(30);
        const auto index = FindIndex::build(*net);
        NodeTableModel model;
        model.setModule(net);
        RowOrder order;
        order.filter.text = QStringLiteral("name:relu");
        order.column = NodeTableModel::Name;
        order.order = Qt::DescendingOrder;
        model.setRows(orderedRows(*net, *index, order, model.sortKey(order.column)).nodes);
        const QStringList names = column(model, NodeTableModel::Name);
        QCOMPARE(names.first(), QStringLiteral("relu_13"));
        QCOMPARE(names.at(names.size() - 2), QStringLiteral("relu_1"));
        QCOMPARE(names.last(), QStringLiteral("relu"));
        order.column = NodeTableModel::Opcode;
        order.order = Qt::AscendingOrder;
        order.filter.text.clear();
        model.setRows(orderedRows(*net, *index, order, model.sortKey(order.column)).nodes);
        QCOMPARE(model.index(0, NodeTableModel::Name).data().toString(), QStringLiteral("relu"));
        QCOMPARE(model.index(1, NodeTableModel::Name).data().toString(), QStringLiteral("relu_1"));
        QCOMPARE(model.index(29, NodeTableModel::Name).data().toString(), QStringLiteral("x"));
    }

    void sort_asked_isAnnounced() {
        NodeTableModel model;
        QSignalSpy asked(&model, &NodeRowsModel::sortRequested);
        model.sort(2, Qt::DescendingOrder);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.first().first().toInt(), 2);
    }

    void naturalLess_numbers_byValue_data() {
        QTest::addColumn<QByteArray>("a");
        QTest::addColumn<QByteArray>("b");
        QTest::addColumn<bool>("less");
        QTest::newRow("numbers") << QByteArray("relu_2") << QByteArray("relu_10") << true;
        QTest::newRow("numbers, other way") << QByteArray("relu_10") << QByteArray("relu_2") << false;
        QTest::newRow("prefix") << QByteArray("relu") << QByteArray("relu_1") << true;
        QTest::newRow("equal") << QByteArray("a1") << QByteArray("a1") << false;
        QTest::newRow("leading zeros") << QByteArray("a007") << QByteArray("a8") << true;
        QTest::newRow("beyond 64 bits") << QByteArray("a99999999999999999999999")
                                        << QByteArray("a100000000000000000000000") << true;
        QTest::newRow("inside") << QByteArray("l1.9.x") << QByteArray("l1.10.a") << true;
    }
    void naturalLess_numbers_byValue() {
        QFETCH(QByteArray, a);
        QFETCH(QByteArray, b);
        QFETCH(bool, less);
        QCOMPARE(naturalLess(a.toStdString(), b.toStdString()), less);
    }

    void problems_warningOfReader_leadsToNode() {
        const auto net = testing::smallNet();
        ProblemsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setProblems(problemsOf(*net));
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.at(0).node, net->graph.find("relu"));
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("Warning: unknown target"));
        QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("relu"));
    }
};

QTEST_GUILESS_MAIN(TestNodeModels)
#include "tst_node_models.moc"

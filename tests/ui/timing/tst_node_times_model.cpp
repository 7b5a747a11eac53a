// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/node_times_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;
using Model = NodeTimesModel;

class TestNodeTimesModel : public QObject {
    Q_OBJECT

    static fx::timing::NodeReport report() {
        fx::timing::NodeReport out;
        out.nodes.resize(2);
        fx::timing::NodeTiming& conv = out.nodes[0];
        conv.name = "conv", conv.op = "call_module", conv.target = "torch.nn.modules.conv.Conv2d";
        conv.ms = 2, conv.share = 0.8, conv.flops = 2.5e9, conv.bytes = 4096, conv.ceilingShare = 0.61,
        conv.reorders = 1;
        conv.primitives = {{"oneDNN", "reorder", "jit:uni", "src dst", ""},
                           {"oneDNN", "convolution", "brg_conv_fwd:avx2", "src:f32:acdb", "mb1"}};
        out.nodes[1].name = "relu", out.nodes[1].target = "torch.relu", out.nodes[1].ms = 0.5, out.nodes[1].share = 0.2,
        out.nodes[1].memoryBound = true;
        out.types = {{"torch.nn.modules.conv.Conv2d", 1, 2, 0.8, 2.5e9}, {"torch.relu", 1, 0.5, 0.2, 0}};
        return out;
    }
    static QString text(const QAbstractItemModel& model, int row, int column) {
        return model.index(row, column).data().toString().replace(QChar::Nbsp, u' ');
    }

private Q_SLOTS:
    void rows_sayWhatIsKnown() {
        Model model;
        QAbstractItemModelTester tester(&model);
        const fx::timing::NodeReport now = report();
        fx::timing::NodeReport before = report();
        before.nodes[0].ms = 3;
        before.nodes.pop_back();
        model.setReport(&now, &before);
        QCOMPARE(model.rowCount(), 2);
        const QStringList conv = {"conv",
                                  "2.00\u00a0ms",
                                  "80.0\u00a0%",
                                  "3.00\u00a0ms",
                                  QString(QChar(0x2212)) + "1.00\u00a0ms",
                                  "Conv2d",
                                  "2.50\u00a0GFLOP",
                                  "4.1 kB",
                                  "61\u00a0% compute",
                                  "brg_conv_fwd:avx2",
                                  "src:f32:acdb",
                                  "1"};
        for (int column = 0; column < Model::kColumns; ++column) QCOMPARE(text(model, 0, column), conv[column]);
        QCOMPARE(text(model, 1, Model::Before), QString()); // a new node
        QCOMPARE(text(model, 1, Model::Difference), QStringLiteral("new"));
        QVERIFY(model.index(0, Model::Difference).data(kSortRole).toDouble() <
                model.index(1, Model::Difference).data(kSortRole).toDouble());
        QCOMPARE(text(model, 1, Model::Flops), QString());
        QCOMPARE(model.index(1, Model::Time).data(kBarRole).toDouble(), 0.25);
        QVERIFY(model.index(1, Model::Flops).data(kSortRole).toDouble() <
                model.index(0, Model::Flops).data(kSortRole).toDouble());
        model.setReport(&now, nullptr);
        QCOMPARE(text(model, 0, Model::Difference), QString());
        model.setReport(nullptr, nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void times_thatVaryMuch_areMarked() {
        Model model;
        fx::timing::NodeReport now = report();
        now.nodes[0].iqrMs = 0.3, now.nodes[1].iqrMs = 0.3;
        model.setReport(&now, nullptr);
        QCOMPARE(text(model, 0, Model::Time), QStringLiteral("2.00\u00a0ms"));
        QVERIFY(text(model, 1, Model::Time).startsWith(u'~'));
        QVERIFY(model.index(1, Model::Time).data(Qt::ToolTipRole).toString().contains(QStringLiteral("differ")));
    }

    void types_addUp() {
        TypeTimesModel model;
        QAbstractItemModelTester tester(&model);
        const fx::timing::NodeReport now = report();
        model.setReport(&now);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(text(model, 0, TypeTimesModel::Time), QStringLiteral("2.00\u00a0ms"));
        QCOMPARE(text(model, 1, TypeTimesModel::Flops), QString());
        QCOMPARE(model.index(1, TypeTimesModel::Time).data(kBarRole).toDouble(), 0.25);
    }
};

QTEST_MAIN(TestNodeTimesModel)
#include "tst_node_times_model.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/training_mode.h"
#include "core/python/tracing/trace_file.h"

#include <QtTest>

using namespace fx;

/// Models in training and evaluation mode, and what is said of them.
class TestTrainingMode : public QObject {
    Q_OBJECT

    static std::shared_ptr<GraphModule> traced(const QString& layers, const QString& body) {
        SourceOptions options;
        options.weights = NewWeights::ShapesOnly;
        return traceText("net.py",
                         ("import torch\nfrom torch import nn\nimport torch.nn.functional as F\nclass Net(nn.Module):\n"
                          "    def __init__(self):\n        super().__init__()\n" +
                          layers + "    def forward(self, x):\n        return " + body + "\n")
                             .toStdString(),
                         options, {});
    }
    static QString said(const GraphModule& model, RunMode mode) {
        QStringList out;
        for (const Warning& each : modeWarnings(model, mode))
            out << QString::fromStdString(std::string(each.what.code()) + " " + each.what.argument("count") + " " +
                                          each.what.argument("first"));
        return out.join("; ");
    }

private Q_SLOTS:
    void training_isSaid_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("asSaved");
        QTest::addColumn<QString>("evaluated");
        const QString training = "worker.training_mode ", keeps = "worker.keeps_training ";
        QTest::newRow("plain layers") << "        self.a = nn.Linear(2, 2)\n"
                                      << "torch.relu(self.a(x))" << QString() << QString();
        QTest::newRow("dropout") << "        self.a = nn.Dropout(0.5)\n"
                                 << "self.a(self.a(x))" << training + "2 a (Dropout)" << QString();
        QTest::newRow("dropout of nothing") << "        self.a = nn.Dropout(0)\n"
                                            << "self.a(x)" << QString() << QString();
        QTest::newRow("inside of a layer") << "        self.a = nn.TransformerEncoderLayer(4, 2)\n"
                                           << "self.a(x)" << training + "1 a (MultiheadAttention)" << QString();
        QTest::newRow("statistics") << "        self.a = nn.BatchNorm1d(2)\n"
                                       "        self.b = nn.BatchNorm1d(2, track_running_stats=False)\n"
                                    << "self.b(self.a(x))" << training + "1 a (BatchNorm1d)" << QString();
        QTest::newRow("evaluated in part") << "        self.a, self.b = nn.Dropout(), nn.Dropout()\n"
                                              "        self.a.eval()\n"
                                           << "self.b(self.a(x))" << training + "1 b (Dropout)" << QString();
        QTest::newRow("recurrent") << "        self.a = nn.LSTM(2, 2, 1, dropout=0.0)\n"
                                      "        self.b = nn.LSTM(2, 2, 2, dropout=0.1)\n"
                                   << "self.b(self.a(x)[0])" << training + "1 b (LSTM)" << QString();
        QTest::newRow("function") << "        self.a = 1\n"
                                  << "F.dropout(x, 0.5, self.training)" << training + "1 dropout"
                                  << keeps + "1 dropout";
        QTest::newRow("function by default") << "        self.a = 1\n"
                                             << "F.dropout(x)" << training + "1 dropout" << keeps + "1 dropout";
        QTest::newRow("function, evaluated") << "        self.a = 1\n"
                                             << "F.dropout(x, training=False)" << QString() << QString();
    }
    void training_isSaid() {
        QFETCH(const QString, layers);
        QFETCH(const QString, body);
        const auto model = traced(layers, body);
        QTEST(said(*model, RunMode::AsSaved), "asSaved");
        QTEST(said(*inMode(*model, false), RunMode::Eval), "evaluated");
    }

    void evaluation_thatStays_isSaid() {
        const auto model = traced("        self.a = 1\n", "F.dropout(x, 0.5, False)");
        QCOMPARE(said(*model, RunMode::Train), QStringLiteral("worker.keeps_evaluation 1 dropout"));
    }

    void models_inAMode_keepWhatTheyShare() {
        const auto model = traced("        self.a = nn.Sequential(nn.Dropout(), nn.Linear(2, 2))\n", "self.a(x)");
        model->root->children.push_back({"again", model->root->children.front().module});
        const auto evaluated = inMode(*model, false);
        QVERIFY(model->root->training);
        QCOMPARE(modeName(*model), "train");
        QCOMPARE(modeName(*evaluated), "eval");
        forEachModule(*evaluated->root, [](const std::string&, const Module& module) { QVERIFY(!module.training); });
        forEachModule(*model->root, [](const std::string&, const Module& module) { QVERIFY(module.training); });
        const Module* a = evaluated->root->child("a");
        QVERIFY(a);
        QCOMPARE(a, evaluated->root->child("again"));
        QVERIFY(a->child("1")->tensor("weight") == model->root->child("a")->child("1")->tensor("weight"));
    }
};

QTEST_GUILESS_MAIN(TestTrainingMode)
#include "tst_training_mode.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"
#include "tests/app/cli/quantize_fixture.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

/// quantize: scans of sensitivities, mixed precision and reports.
class TestCliSensitivity : public QuantizeFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { startUp(); }

    /// The time of all calls together is limited.
    void scanThatTakesTooLong_tellsWhatIsKept() {
        const QString file = m_folder.filePath("timed.json");
        const Run run = lancet(net({"--resume", file, "--timeout", "0.001"}));
        QCOMPARE(run.exit, 6);
        QVERIFY(run.json()["error"].toObject()["what"].toString().contains("0.001 s"));
    }

    void budgetThatIsNotMet_leavesTheModelInFloat_andSaysSo() {
        put(m_folder.filePath("sum.py"), "import torch\nfrom torch import nn\n"
                                         "class Net(nn.Module):\n"
                                         "    def __init__(self):\n"
                                         "        super().__init__()\n"
                                         "        self.a = nn.Linear(8, 8)\n"
                                         "    def forward(self, x):\n"
                                         "        return self.a(x) + x\n");
        const Run run =
            lancet({"quantize", m_folder.filePath("sum.py:Net"), "--input", "x=4x8", "--error-budget", "300"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY2(run.out.contains("quantise 0 of 1 layer: no change"), run.out);
        QVERIFY2(run.error.contains("no quantised model that was tried has an SQNR of 300.0 dB"), run.error);
    }

    /// The scan measures layers without the operators between them, which can lose more than all layers.
    void errorBudget_leavesOperatorsInFloat_whereTheseLose() {
        put(m_folder.filePath("between.py"), "import torch\nfrom torch import nn\n"
                                             "class Net(nn.Module):\n"
                                             "    def __init__(self):\n"
                                             "        super().__init__()\n"
                                             "        self.a = nn.Linear(8, 16)\n"
                                             "    def forward(self, x):\n"
                                             "        y = self.a(x)\n"
                                             "        return torch.cat([y * 1000.0, y], 1)[:, 16:]\n");
        const QStringList run{"quantize", m_folder.filePath("between.py:Net"), "--input", "x=16x8", "--json"};
        const QString report = m_folder.filePath("between.json");
        QCOMPARE(lancet(run + QStringList{"--report", report}).exit, 0);
        const auto whole =
            QJsonDocument::fromJson(contentOf(report)).object()["output"].toObject()["sqnr_db"].toDouble();
        QVERIFY2(whole < 15, qPrintable(QString::number(whole)));
        const QString model = m_folder.filePath("between_quantised.json");
        const Run made = lancet(run + QStringList{"--error-budget", "25", "-o", model});
        QVERIFY2(made.exit == 0, made.error + made.out);
        const QJsonObject proposal = made.json()["proposal"].toObject();
        QCOMPARE(proposal["quantised"].toArray().size(), 1);
        QVERIFY(proposal["operators_kept"].toArray().contains("cat"));
        QVERIFY(proposal["meets_budget"].toBool());
        QVERIFY(proposal["sqnr_db"].toDouble() >= 25);
        QVERIFY(!codes(made).contains("quant.below_budget"));
        // What meets the budget as a whole is quantised as a whole
        const Run plain = lancet(run + QStringList{"--error-budget", QString::number(std::max(0.0, whole - 1))});
        QVERIFY(plain.json()["proposal"].toObject()["operators_kept"].toArray().isEmpty() || whole < 1);
    }

    /// The batch is not to blame for what other batches would not change.
    void failureOfTheQuantisedModel_isNotThatOfTheBatch() {
        put(m_folder.filePath("view.py"), "import torch\nfrom torch import nn\n"
                                          "class Net(nn.Module):\n"
                                          "    def __init__(self):\n"
                                          "        super().__init__()\n"
                                          "        self.c = nn.Conv2d(3, 4, 3)\n"
                                          "    def forward(self, x):\n"
                                          "        return self.c(x).view(2, -1)\n"
                                          "class Scaled(nn.Module):\n"
                                          "    def __init__(self):\n"
                                          "        super().__init__()\n"
                                          "        self.l = nn.Linear(4, 4)\n"
                                          "    def forward(self, x, scale: float = 2.0):\n"
                                          "        return self.l(x) * scale\n");
        const Run run = lancet({"quantize", m_folder.filePath("view.py:Net"), "--input", "x=2x3x8x8", "--json",
                                "--report", m_folder.filePath("view.json")});
        QCOMPARE(run.exit, 5);
        const QJsonObject error = run.json()["error"].toObject();
        QCOMPARE(error["node"].toString(), QString("view"));
        QVERIFY2(error["hint"].toString().contains("only the quantised one fails"), run.out);
        const Run scaled = lancet({"quantize", m_folder.filePath("view.py:Scaled"), "--inputs",
                                   written("four.safetensors", "[2,4]", QByteArray(32, '\1')), "-o",
                                   m_folder.filePath("scaled.json"), "--json"});
        QCOMPARE(scaled.exit, 5);
        const QString hint = scaled.json()["error"].toObject()["hint"].toString();
        QVERIFY2(hint.contains("'scale' is not a tensor"), scaled.out);
        QVERIFY2(hint.contains("'mul'"), scaled.out);
    }

    void errorBudget_isANumberOfDecibels() {
        for (const char* budget : {"nan", "-5", "inf"}) {
            const Run run = lancet(net({"--error-budget", budget}));
            QCOMPARE(run.exit, 2);
            QCOMPARE(run.json()["error"].toObject()["code"].toString(), QString("cli.error_budget"));
        }
    }

    void scan_interrupted_continues() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("scan.json");
        const Run first = lancet(net({"--resume", file}));
        QVERIFY2(first.exit == 0, first.error);
        const QJsonArray all = first.json()["sensitivity"].toArray();
        QCOMPARE(layers(all), QStringList({"a", "b", "c"}));
        const QJsonArray saved = QJsonDocument::fromJson(contentOf(file)).object()["sensitivity"].toArray();
        QCOMPARE(layers(saved), layers(all));
        // As if it had been stopped after one layer, whose noise nothing else would give
        put(file, R"({"sensitivity": [{"layer": "a", "noise": 0.25}]})");
        const QJsonArray again = lancet(net({"--resume", file})).json()["sensitivity"].toArray();
        QCOMPARE(layers(again), layers(all));
        QCOMPARE(again[0].toObject()["noise"].toDouble(), 0.25);
        QCOMPARE(again[1].toObject()["noise"].toDouble(), all[1].toObject()["noise"].toDouble());
    }

    void scan_ofAnotherModel_isRefused() {
        const QTemporaryDir folder;
        put(folder.filePath("scan.json"), R"({"sensitivity": [{"layer": "elsewhere", "noise": 0.25}]})");
        const Run run = lancet(net({"--resume", folder.filePath("scan.json")}));
        QCOMPARE(run.exit, 4);
        QCOMPARE(run.json()["error"].toObject()["code"].toString(), QString("quant.other_scan"));
    }

    void scan_ofOtherSettings_orInAReport_isRefused_andStays() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("scan.json"), report = folder.filePath("report.json");
        QCOMPARE(lancet(net({"--resume", file})).exit, 0);
        const QByteArray scan = contentOf(file);
        const Run other = lancet(net({"--backend", "qnnpack", "--resume", file}));
        QCOMPARE(other.exit, 4);
        QCOMPARE(other.json()["error"].toObject()["code"].toString(), QString("quant.scan_of_other"));
        QCOMPARE(contentOf(file), scan);
        QCOMPARE(lancet(net({"--resume", file})).exit, 0);
        const Run drawn = lancet(net({"--seed", "7", "--resume", file}));
        QCOMPARE(drawn.json()["error"].toObject()["code"].toString(), QString("quant.scan_of_other"));
        QCOMPARE(lancet(net({"--scan", "--report", report})).exit, 0);
        const QByteArray whole = contentOf(report);
        const Run over = lancet(net({"--resume", report}));
        QCOMPARE(over.exit, 4);
        QCOMPARE(over.json()["error"].toObject()["code"].toString(), QString("quant.not_a_scan"));
        QCOMPARE(contentOf(report), whole);
    }

    void errorBudget_keepsLayersUntilItIsMet() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("scan.json"), report = folder.filePath("report.json");
        const Run all = lancet(net({"--report", report}));
        QVERIFY2(all.exit == 0, all.error);
        const double whole =
            QJsonDocument::fromJson(contentOf(report)).object()["output"].toObject()["sqnr_db"].toDouble();
        QVERIFY(whole > 0);
        const QString budget = QString::number(whole + 1);
        const Run run = lancet(net({"--resume", file, "--error-budget", budget, "-o", folder.filePath("mixed.json")}));
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(run.json()["verified"].toBool());
        const QJsonObject proposal = run.json()["proposal"].toObject();
        QVERIFY(proposal["meets_budget"].toBool());
        QVERIFY(proposal["sqnr_db"].toDouble() >= whole + 1);
        QVERIFY(!proposal["kept"].toArray().isEmpty());
        // The rules of the proposal give the same model
        put(folder.filePath("rules.json"), QJsonDocument(proposal["qconfig"].toObject()).toJson());
        const Run again = lancet(net({"--qconfig", folder.filePath("rules.json"), "--report", report}));
        QVERIFY2(again.exit == 0, again.error);
        QCOMPARE(QJsonDocument::fromJson(contentOf(report)).object()["output"].toObject()["sqnr_db"].toDouble(),
                 proposal["sqnr_db"].toDouble());
    }

    void errorBudget_aLittleAboveAllLayers_isMet() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("scan.json"), report = folder.filePath("report.json");
        QCOMPARE(lancet(net({"--resume", file, "--report", report})).exit, 0);
        const double whole =
            QJsonDocument::fromJson(contentOf(report)).object()["output"].toObject()["sqnr_db"].toDouble();
        for (const double more : {0.001, 0.01, 0.1, 0.5}) {
            const Run run = lancet(net({"--resume", file, "--error-budget", QString::number(whole + more, 'g', 12)}));
            QVERIFY2(run.exit == 0, run.error);
            QVERIFY2(run.json()["proposal"].toObject()["meets_budget"].toBool(), qPrintable(QString::number(more)));
        }
    }

    void reportThatCannotBeWritten_isRefusedBeforeTheModelIs() {
        const QTemporaryDir folder;
        const QString model = folder.filePath("made.json");
        const Run run = lancet(net({"-o", model, "--report", folder.filePath("none/report.json")}));
        QVERIFY2(run.exit == 4, run.error);
        QVERIFY2(run.error.contains("none/report.json"), run.error);
        QVERIFY(!QFile::exists(model));
    }

    void report_tellsTheErrorOfEachLayer() {
        const QTemporaryDir folder;
        const QString report = folder.filePath("report.json");
        const Run run = lancet(net({"--report", report}));
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY2(!run.error.contains("deprecated"), run.error);
        const QJsonObject told = QJsonDocument::fromJson(contentOf(report)).object();
        const QJsonArray rows = told["layers"].toArray();
        QCOMPARE(rows[0].toObject()["layer"].toString(), QString("a"));
        QVERIFY(rows[0].toObject()["sqnr_db"].toDouble() > 20);
        QVERIFY(rows[0].toObject()["max_error"].toDouble() > 0);
        QVERIFY(rows[0].toObject()["step"].toDouble() > 0);
        QVERIFY(told["ranges"].toArray()[0].toObject()["histogram"].toObject()["counts"].toArray().size() > 1);
    }
};

QTEST_APPLESS_MAIN(TestCliSensitivity)
#include "tst_cli_sensitivity.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The page that report writes. It is also well-formed XML, so that the tests can read it.
#include "program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

class TestCliReport : public QObject {
    Q_OBJECT

    /// What the page says, by the title of the section.
    struct Parts {
        QMap<QString, QString> text;
        QStringList elements;
        QString error;
    };
    static Parts partsOf(const QByteArray& page) {
        Parts parts;
        QString title;
        QXmlStreamReader reader(page);
        while (!reader.atEnd()) {
            reader.readNext();
            if (reader.isStartElement()) {
                parts.elements << reader.name().toString();
                if (reader.name() == QString("h2")) title = reader.readElementText();
            } else if (reader.isCharacters()) {
                parts.text[title] += reader.text();
            }
        }
        if (reader.hasError()) parts.error = reader.errorString();
        return parts;
    }
    static const QStringList kFast;

private Q_SLOTS:
    void report_ofOneModel_hasAllParts() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("net.html");
        const Run run =
            lancet(QStringList{"report", sample("simple_net.pt"), "--input", "x=1x3x16x16", "-o", file} + kFast);
        QVERIFY2(run.exit == 0, run.error);
        const QByteArray page = contentOf(file);
        const Parts parts = partsOf(page);
        QVERIFY2(parts.error.isEmpty(), qPrintable(parts.error));
        QVERIFY(parts.text["Facts"].contains("5 tensors, 5,362 elements"));
        QVERIFY(parts.text["Picture"].contains("Conv2d"));
        QVERIFY(parts.elements.contains("svg"));
        QVERIFY(parts.text["Numbers"].contains("1×10"));
        QVERIFY(parts.text["Timings"].contains("median"));
        QVERIFY(parts.text["Timings"].contains("conv"));
        QVERIFY(parts.text["Code"].contains("def forward(self, x):"));
        QVERIFY(!parts.text.contains("Difference"));
        QVERIFY(!parts.elements.contains("script"));
        QVERIFY(!QByteArray(page).replace("xmlns=\"http://www.w3.org/2000/svg\"", "").contains("http://"));
        QVERIFY(!page.contains("src="));
    }

    void report_against_tellsDifferenceAndVerdict() {
        const QTemporaryDir folder;
        const QString other = folder.filePath("other.pt"), file = folder.filePath("both.html");
        const Run edit = lancet({"edit", sample("simple_net.pt"), "--step",
                                 R"({"step": "insert_after", "node": "relu", "op": "call_function",
                                     "target": "torch.sigmoid", "args": [{"node": "relu"}], "rewire_users": true})",
                                 "-o", other});
        QVERIFY2(edit.exit == 0, edit.error);
        const Run run = lancet(QStringList{"report", sample("simple_net.pt"), "--against", other, "--input",
                                           "x=1x3x16x16", "-o", file, "--json"} +
                               kFast);
        QVERIFY2(run.exit == 0, run.error);
        const QJsonObject result = run.json();
        QCOMPARE(result["written"].toString(), file);
        QCOMPARE(result["verify"]["verdict"].toString(), QString("different"));
        QCOMPARE(result["bench"]["ratios"].toArray().size(), 1);
        QCOMPARE(result["diff"]["added"].toArray(), QJsonArray{"sigmoid"});
        const Parts parts = partsOf(contentOf(file));
        QVERIFY2(parts.error.isEmpty(), qPrintable(parts.error));
        QVERIFY(parts.text["Difference"].contains("+ %sigmoid"));
        QVERIFY(parts.text["Numbers"].contains("Verdict: different"));
        QVERIFY(parts.text["Numbers"].contains("beyond tolerance"));
        QVERIFY(parts.text["Timings"].contains("95 % interval"));
        QVERIFY(parts.text["Code"].contains("torch.sigmoid"));
    }

    void report_withoutInputs_saysHowToGiveThem() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("net.html");
        const Run run = lancet({"report", sample("resnet.pt"), "-o", file, "--json"});
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(run.json()["missing"].toArray().size(), 2);
        QCOMPARE(run.json()["missing"][0]["code"].toString(), QString("inputs.not_guessed"));
        const Parts parts = partsOf(contentOf(file));
        for (const char* part : {"Numbers", "Timings"})
            QVERIFY2(parts.text[part].contains("--input x=1x3x224x224:float32"), part);
    }

    void report_noRun_startsNoWorker() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("net.html");
        QCOMPARE(lancet({"report", sample("resnet.pt"), "-o", file, "--no-run"}).exit, 0);
        QVERIFY(partsOf(contentOf(file)).text["Numbers"].contains("--no-run"));
    }

    void report_hostileNames_areEscaped() {
        const QTemporaryDir folder;
        const QString model = folder.filePath("<script>alert(1)<script>&\"'.json"), file = folder.filePath("net.html");
        put(model, R"({"lancet_ir": 1, "class_name": "<img onerror='x'>", "nodes": ["x", {"op": "call_function",
            "target": "torch.relu", "args": [{"node": "x"}, "</pre><script>alert(2)</script>"]},
            {"op": "output", "args": [{"node": "relu"}]}]})");
        const Run run = lancet({"report", model, "-o", file, "--no-run"});
        QVERIFY2(run.exit == 0, run.error);
        const Parts parts = partsOf(contentOf(file));
        QVERIFY2(parts.error.isEmpty(), qPrintable(parts.error));
        QVERIFY(!parts.elements.contains("script"));
        QVERIFY(!parts.elements.contains("img"));
        QVERIFY(parts.text["Code"].contains("</pre><script>alert(2)</script>"));
    }

    void report_ofManyNodes_closesGroupsAndCutsCode() {
        const QTemporaryDir folder;
        const QString model = folder.filePath("long.json"), file = folder.filePath("long.html");
        constexpr int kNodes = 20000;
        const QByteArray node = "{\"node\": \"",
                         call = ", {\"op\": \"call_function\", \"target\": \"torch.relu\", \"args\": [";
        QByteArray nodes = "{\"lancet_ir\": 1, \"nodes\": [\"x\"", last = "x";
        for (int i = 0; i < kNodes; ++i) {
            nodes += call + node + last + "\"}]}";
            last = i == 0 ? "relu" : "relu_" + QByteArray::number(i);
        }
        put(model, nodes + ", {\"op\": \"output\", \"args\": [" + node + last + "\"}]}]}");
        const Run run = lancet({"report", model, "-o", file, "--no-run"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(QFileInfo(file).size() < 1000000);
        const Parts parts = partsOf(contentOf(file));
        QVERIFY(parts.text["Picture"].contains("20,002 nodes"));
        QVERIFY(parts.text["Code"].contains("more lines are left out"));
    }

    void report_wrongOptions_areErrors_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("error");
        QTest::newRow("format") << QStringList{"-o", "net.pt"} << 2 << "unknown report format";
        QTest::newRow("input") << QStringList{"-o", "net.html", "--input", "y=3"} << 2 << "unknown input 'y'";
        QTest::newRow("other") << QStringList{"-o", "net.html", "--against", "missing.pt"} << 3 << "missing.pt";
        QTest::newRow("twice") << QStringList{"-o", "-", "--json"} << 2 << "standard output";
    }
    void report_wrongOptions_areErrors() {
        QFETCH(QStringList, options);
        QFETCH(int, exit);
        QFETCH(QString, error);
        const QTemporaryDir folder;
        const QString model = QString(LANCET_SOURCE_DIR) + "/" + sample("simple_net.pt");
        const Run run = lancet(QStringList{"report", model} + options, {}, folder.path());
        QCOMPARE(run.exit, exit);
        QVERIFY2(run.error.contains(error.toUtf8()), run.error);
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void quiet_silencesLibTorchToo() {
        const QTemporaryDir folder;
        const Run run = lancet({"quantize", sample("simple_net.pt"), "--backend", "x86", "--mode", "dynamic", "-o",
                                folder.filePath("net.json"), "--quiet"});
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(run.error, QByteArray());
    }

    void sourceOptions_reachTheWorker_data() {
        QTest::addColumn<QStringList>("words");
        QTest::newRow("run") << QStringList{"run"};
        QTest::newRow("verify") << QStringList{"verify", "net.py"};
        QTest::newRow("bench") << QStringList{"bench", "--seconds", "0.2"};
    }
    void sourceOptions_reachTheWorker() {
        QFETCH(QStringList, words);
        const QTemporaryDir folder;
        put(folder.filePath("net.py"), "from torch import nn\nclass Net(nn.Module):\n    def __init__(self, width):\n"
                                       "        super().__init__()\n        self.layer = nn.Linear(width, 3)\n"
                                       "    def forward(self, x):\n        return self.layer(x)\n");
        const Run run = lancet(words + QStringList{"net.py", "--init", "[5]", "--input", "x=2x5"}, {}, folder.path());
        QVERIFY2(run.exit == 0, run.error);
    }
};

const QStringList TestCliReport::kFast = {"--seconds", "0.2"};

QTEST_APPLESS_MAIN(TestCliReport)
#include "tst_cli_report.moc"

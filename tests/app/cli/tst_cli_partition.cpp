// SPDX-License-Identifier: GPL-3.0-or-later
// `lancet partition`: exit codes, refusals, and what is written. The partitions themselves are compared with torch.fx
// in tests/oracle.
#include "program.h"
#include "tests/sanitized.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

class TestCliPartition : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString rules(const char* text) const {
        put(m_folder.filePath("rules.json"), text);
        return m_folder.filePath("rules.json");
    }

private Q_SLOTS:
    void errors_haveTheirExitCode_data() {
        QTest::addColumn<QByteArray>("rules");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        const QByteArray all = R"({"supported": [{"target": "*"}]})";
        QTest::newRow("no rules given") << QByteArray() << QStringList{} << 2 << "--support";
        QTest::newRow("fuse and split") << all << QStringList{"--fuse", "--split"} << 2 << "--fuse";
        QTest::newRow("balance without stages") << all << QStringList{"--balance", "nodes"} << 2 << "--stages";
        QTest::newRow("malformed") << QByteArray("{\n  \"supported\": [{\"traget\": \"a\"}]}") << QStringList{} << 3
                                   << "line 2, column";
        QTest::newRow("no JSON") << QByteArray("{,}") << QStringList{} << 3 << "line 1, column 2";
        if (!kSanitized)
            QTest::newRow("unknown profile")
                << QByteArray(R"({"profile": "nothing"})") << QStringList{} << 3 << "nothing";
        QTest::newRow("too many stages") << QByteArray() << QStringList{"--stages", "1000"} << 4
                                         << "stages, the number of calls of the model, got 1000";
        QTest::newRow("unknown output") << all << QStringList{"-o", "x.docx"} << 2 << "x.docx";
    }
    void errors_haveTheirExitCode() {
        QFETCH(QByteArray, rules);
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QString, says);
        QStringList words{"partition", sample("resnet.pt")};
        if (!rules.isEmpty()) words << "--support" << this->rules(rules);
        const Run run = lancet(words << arguments);
        QVERIFY2(run.exit == exit, run.error);
        QCOMPARE(run.out, QByteArray());
        QVERIFY2(run.error.contains(says.toUtf8()), run.error);
    }

    void nothingSupported_isAnAnswer() {
        const QString out = m_folder.filePath("none.pt");
        const Run run = lancet({"partition", sample("resnet.pt"), "--support",
                                rules(R"({"supported": [{"target": "torch.nope"}]})"), "-o", out, "--json"});
        QCOMPARE(run.exit, 1);
        QVERIFY(!QFile::exists(out));
        const QJsonObject answer = run.json();
        QVERIFY(!answer.contains("error"));
        QVERIFY(answer["partitions"].toArray().isEmpty());
        QVERIFY(!answer["unassigned"].toArray().isEmpty());
        QVERIFY(answer["warnings"].toArray().last().toObject()["what"].toString().contains("support no node"));
    }

    void written_isAModelAgain_data() {
        QTest::addColumn<QString>("way");
        QTest::addColumn<QString>("file");
        for (const char* way : {"--fuse", "--split", "--stages"})
            for (const char* file : {"out.pt", "out.json"}) QTest::addRow("%s %s", way, file) << way << file;
    }
    void written_isAModelAgain() {
        QFETCH(QString, way);
        QFETCH(QString, file);
        const QString out = m_folder.filePath(file);
        QStringList words{"partition", sample("transformer.pt"), way};
        if (way == "--stages")
            words << "3"
                  << "--balance"
                  << "parameters";
        else
            words << "--support"
                  << rules(R"({"supported": [{"target": "*"}], "unsupported": [{"target": "*softmax*"}]})");
        const Run run = lancet(words << "-o" << out << "--json");
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(run.json()["verified"].toBool());
        const Run code = lancet({"code", out});
        QVERIFY2(code.exit == 0, code.error);
        const QString called = way == "--fuse" ? "fused_0" : "submod_0";
        QVERIFY(code.out.contains(("self." + called + "(").toUtf8()));
    }

    void stages_withRules_sayThatTheyAreNotAsked() {
        const Run run = lancet({"partition", sample("resnet.pt"), "--stages", "2", "--support",
                                rules(R"({"supported": [{"target": "*"}]})")});
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.error.contains("are not used"), run.error);
    }

    void stages_shareTheParameters() {
        const QJsonObject answer =
            lancet({"partition", sample("transformer.pt"), "--stages", "3", "--balance", "parameters", "--json"})
                .json();
        QCOMPARE(answer["partitions"].toArray().size(), 3);
        QCOMPARE(answer["modules"].toArray().size(), 3);
    }

    void stepByTime_takesTimes_andSaysWhatItNeeds() {
        const QStringList words{"edit", sample("simple_net.pt"), "--step"};
        const Run without = lancet(words + QStringList{R"({"step": "partition", "stages": 2, "balance": "time"})"});
        QCOMPARE(without.exit, 4);
        QVERIFY2(without.error.contains("missing key 'times'"), without.error);
        QVERIFY2(without.error.contains("lancet apply"), without.error);
        // All of the time is in the first call: it is a stage alone.
        const Run with = lancet(
            words +
            QStringList{
                R"({"step": "partition", "stages": 2, "balance": "time", "times": {"conv": 100, "flatten": 0.001}})",
                "--show", "code"});
        QVERIFY2(with.exit == 0, with.error);
        QVERIFY2(with.out.contains("submod_0 = self.submod_0("), with.out);
        QVERIFY2(with.out.contains("self.submod_1("), with.out);
    }
};

QTEST_APPLESS_MAIN(TestCliPartition)
#include "tst_cli_partition.moc"

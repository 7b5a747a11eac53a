// SPDX-License-Identifier: GPL-3.0-or-later
// What the verbs print: golden texts, JSON with its fixed keys, help, errors and exit codes.
#include "program.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

class TestCli : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void text_ofSamples_isGolden_data() {
        QTest::addColumn<QString>("verb");
        QTest::addColumn<QString>("file");
        for (const char* file : {"simple_net.pt", "my_module.pt", "transformer.pt2"})
            for (const char* verb : {"info", "graph", "code", "tabular", "modules"})
                QTest::addRow("%s %s", verb, file) << verb << file;
    }
    /// graph, code and tabular of the golden files were written by PyTorch (tests/golden/cli/make_golden.py).
    /// LANCET_UPDATE_GOLDEN=1 rewrites the others.
    void text_ofSamples_isGolden() {
        QFETCH(QString, verb);
        QFETCH(QString, file);
        const Run run = lancet({verb, sample(qPrintable(file))});
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(run.error, QByteArray());
        const QString golden = QString(LANCET_SOURCE_DIR "/tests/golden/cli/%1.%2.txt").arg(file, verb);
        if (qEnvironmentVariableIsSet("LANCET_UPDATE_GOLDEN") && (verb == "info" || verb == "modules"))
            put(golden, run.out);
        QCOMPARE(run.out, contentOf(golden));
    }

    void json_eachVerb_hasTheFixedKeysAndNothingElseOnOutput_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("keys");
        const QString net = sample("simple_net.pt");
        QTest::newRow("info") << QStringList{"info", net}
                              << QStringList{"format", "dialect",         "producer",   "class_name",
                                             "nodes",  "modules",         "parameters", "buffers",
                                             "inputs", "unknown_targets", "warnings"};
        QTest::newRow("graph") << QStringList{"graph", net} << QStringList{"nodes"};
        QTest::newRow("code") << QStringList{"code", net} << QStringList{"code", "imports", "lines"};
        QTest::newRow("tabular") << QStringList{"tabular", net} << QStringList{"headers", "rows"};
        QTest::newRow("modules") << QStringList{"modules", net} << QStringList{"modules"};
        QTest::newRow("draw") << QStringList{"draw", net, "-o", "%1/x.svg"}
                              << QStringList{"written", "engine", "nodes", "groups", "edges", "millis", "warnings"};
        QTest::newRow("trust") << QStringList{"info", "--trust", net}
                               << QStringList{"pickles", "imports", "calls",        "outside_torch",
                                              "texts",   "reason",  "weights_only", "unread"};
        QTest::newRow("anonymize") << QStringList{"anonymize", net, "-o", "%1/x.json"}
                                   << QStringList{"written", "names", "replaced", "surviving", "verified", "warnings"};
        QTest::newRow("convert") << QStringList{"convert", net, "-o", "%1/x.json"}
                                 << QStringList{"created", "erased", "changed", "written", "verified", "warnings"};
    }
    void json_eachVerb_hasTheFixedKeysAndNothingElseOnOutput() {
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, keys);
        const QTemporaryDir folder;
        for (QString& argument : arguments) argument.replace("%1", folder.path());
        const Run run = lancet(arguments << "--json");
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(run.error, QByteArray());
        QStringList got = run.json().keys();
        got.sort();
        keys.sort();
        QCOMPARE(got, keys);
    }

    void info_listsWhatLoadingCalls() {
        const QString file = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/graphmodule/hostile/runs_code.pt");
        const auto calls = lancet({"info", file, "--json"}).json()["load_calls"].toArray();
        QCOMPARE(calls.size(), 1);
        QCOMPARE(calls[0].toObject()["function"].toString(), QStringLiteral("posix.system"));
        QVERIFY(lancet({"info", file}).out.contains("load calls  posix.system"));
    }

    void info_sample_countsWhatIsThere() {
        const QJsonObject info = lancet({"info", sample("simple_net.pt"), "--json"}).json();
        QCOMPARE(info["format"].toString(), QString("graphmodule"));
        const QJsonObject nodes = info["nodes"].toObject();
        int sum = 0;
        for (const char* op : {"placeholder", "get_attr", "call_function", "call_method", "call_module", "output"}) {
            QVERIFY2(nodes[op].toInt() > 0, op);
            sum += nodes[op].toInt();
        }
        QCOMPARE(nodes["total"].toInt(), sum);
        QCOMPARE(nodes.size(), 7);
        QCOMPARE(info["modules"].toInt(), 3);
        QCOMPARE(info["parameters"].toObject()["elements"].toInt(), 3 * 8 * 9 + 8 + 8 + 512 * 10 + 10);
        QCOMPARE(info["inputs"].toArray()[0].toObject()["name"].toString(), QString("x"));
    }

    void info_exportedProgram_knowsProducerAndUserInputs() {
        const QJsonObject info = lancet({"info", sample("transformer.pt2"), "--json"}).json();
        QCOMPARE(info["format"].toString(), QString("pt2"));
        QCOMPARE(info["dialect"].toString(), QString("aten"));
        QVERIFY(info["producer"].toString().startsWith("2.13.0"));
        QVERIFY(info["inputs"].toArray().size() < info["nodes"].toObject()["placeholder"].toInt());
        QVERIFY(info["inputs"].toArray()[0].toObject()["shape"].isArray());
    }

    void graphJson_sample_hasAllKeysOfEachNode() {
        const QJsonArray nodes = lancet({"graph", sample("simple_net.pt"), "--json"}).json()["nodes"].toArray();
        QVERIFY(nodes.size() > 5);
        QStringList keys = {"name", "op",          "target", "args",  "kwargs", "users",
                            "type", "module_path", "source", "shape", "dtype"};
        keys.sort();
        for (const auto& node : nodes) QCOMPARE(node.toObject().keys(), keys);
    }

    void help_ofTheProgram_namesVerbs() {
        const Run help = lancet({"--help"});
        QCOMPARE(help.exit, 0);
        for (const char* verb : {"info", "graph", "compilation", "worker"})
            QVERIFY2(help.out.contains("  " + QByteArray(verb) + "  "), verb);
        QVERIFY(lancet({"--version"}).out.startsWith("lancet "));
    }

    void errors_eachKind_haveTheirExitCodeAndOneLine_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        const QString net = sample("simple_net.pt");
        QTest::newRow("unknown verb") << QStringList{"nope", net} << 2 << "unknown verb 'nope'";
        QTest::newRow("no model") << QStringList{"info"} << 2 << "MODEL is required";
        QTest::newRow("two models") << QStringList{"info", net, net} << 2 << "info:";
        QTest::newRow("unknown option") << QStringList{"graph", net, "--nope"} << 2 << "--nope";
        QTest::newRow("bad number") << QStringList{"info", net, "--threads", "many"} << 2 << "--threads";
        QTest::newRow("other device") << QStringList{"info", net, "--device", "cuda"} << 2 << "--device";
        QTest::newRow("no target") << QStringList{"convert", net} << 2 << "--output";
        QTest::newRow("unknown extension") << QStringList{"convert", net, "-o", "x.docx"} << 2 << "x.docx";
        QTest::newRow("unknown picture") << QStringList{"draw", net, "-o", "x.bmp"} << 2 << "x.bmp";
        QTest::newRow("unknown engine") << QStringList{"draw", net, "-o", "x.svg", "--engine", "neato"} << 2
                                        << "--engine";
        QTest::newRow("unknown node") << QStringList{"draw", net, "-o", "x.svg", "--select", "nope"} << 2 << "nope";
        QTest::newRow("unknown module") << QStringList{"draw", net, "-o", "x.svg", "--expand", "nope"} << 2 << "nope";
        QTest::newRow("step that is no object")
            << QStringList{"edit", net, "--step", "5", "-o", "x.pt"} << 2 << "--step expects a JSON object";
        QTest::newRow("shape with an end missing")
            << QStringList{"run", net, "--input", "x=1x3x"} << 2 << "ends with an x";
        QTest::newRow("output of a run to standard output")
            << QStringList{"run", net, "--input", "x=1x3x16x16", "-o", "-"} << 2 << "not standard input and output";
        QTest::newRow("output of a run over its model")
            << QStringList{"run", net, "--input", "x=1x3x16x16", "-o", net} << 2 << "the model itself";
        QTest::newRow("table over a model")
            << QStringList{"bench", sample("resnet.pt"), net, "--csv", net} << 2 << "the model itself";
        QTest::newRow("missing file") << QStringList{"info", "no/such.pt"} << 3 << "no/such.pt";
        QTest::newRow("missing model for the window") << QStringList{"no/such.pt"} << 3 << "no/such.pt";
        QTest::newRow("no model file") << QStringList{"info", "README.md"} << 3 << "README.md";
        QTest::newRow("refused target") << QStringList{"convert", net, "-o", "x.pt2"} << 4 << ".pt2";
        QTest::newRow("target in a missing folder")
            << QStringList{"draw", net, "-o", "no/such/x.svg"} << 4 << "no/such/x.svg";
    }
    void errors_eachKind_haveTheirExitCodeAndOneLine() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QString, says);
        const Run run = lancet(arguments);
        QCOMPARE(run.exit, exit);
        QCOMPARE(run.out, QByteArray());
        QVERIFY2(run.error.startsWith("lancet: error: "), run.error);
        QVERIFY2(run.error.contains(says.toUtf8()), run.error);
        const QList<QByteArray> lines = run.error.trimmed().split('\n');
        for (int i = 1; i < lines.size(); ++i) QVERIFY2(lines[i].startsWith("  "), run.error);

        if (arguments.first().startsWith("--")) return; // --json belongs behind the verb
        const Run json = lancet(arguments << "--json");
        QCOMPARE(json.exit, exit);
        const QJsonObject error = json.json()["error"].toObject();
        QCOMPARE(json.json().keys(), QStringList("error"));
        QCOMPARE(error["exit_code"].toInt(), exit);
        QVERIFY(run.firstError().endsWith(error["what"].toString().toUtf8()));
    }
};

QTEST_APPLESS_MAIN(TestCli)
#include "tst_cli.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "ui/passes/optimise_report.h"
#include "ui/passes/pass_choices.h"
#include "ui/passes/pass_completion.h"
#include "ui/passes/shipped_passes.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace ui;

/// Lists of passes as JSON, completion and the report of optimising, without a window.
class TestPassChoices : public QObject {
    Q_OBJECT

    static PassChoices choices() {
        PassChoices all;
        all.passes.resize(3);
        all.passes[0].name = QStringLiteral("cse");
        all.passes[0].settings = {{QStringLiteral("safe"), false}};
        all.passes[1].file = QStringLiteral("my_pass.py"), all.passes[1].name = QStringLiteral("Mine");
        all.passes[1].text = "class Mine: pass\n";
        all.passes[2].name = QStringLiteral("dead_code"), all.passes[2].ticked = false;
        all.passes[2].untilUnchanged = true;
        all.onSelection = true;
        return all;
    }

private Q_SLOTS:
    void choices_surviveTheView() { QVERIFY(PassChoices::fromJson(choices().toJson()) == choices()); }

    void pipeline_hasTheTickedPasses() {
        const QJsonObject json = choices().pipeline(QStringList{QStringLiteral("relu")});
        const QJsonArray passes = json[QLatin1String("passes")].toArray();
        QCOMPARE(passes.size(), 2);
        QCOMPARE(passes[0].toObject()[QLatin1String("settings")].toObject()[QLatin1String("safe")], QJsonValue(false));
        QCOMPARE(passes[1].toObject()[QLatin1String("file")].toString(), QStringLiteral("my_pass.py:Mine"));
        QCOMPARE(json[QLatin1String("nodes")].toArray().size(), 1);
    }

    void pipeline_isListedAsItRuns() {
        QTemporaryDir folder;
        const PassChoices read = PassChoices::fromPipeline(
            R"({"passes": ["dead_code", {"name": "cse", "settings": {"safe": false}}, {"file": "p.py:Name"}],)"
            R"( "constraints": [["cse", "dead_code"]], "steps": 2})",
            folder.filePath(QStringLiteral("pipeline.json")));
        QCOMPARE(read.passes.size(), 3u);
        const auto cse = std::find_if(read.passes.begin(), read.passes.end(),
                                      [](const PassChoice& each) { return each.name == QLatin1String("cse"); });
        const auto dead = std::find_if(read.passes.begin(), read.passes.end(),
                                       [](const PassChoice& each) { return each.name == QLatin1String("dead_code"); });
        QVERIFY(cse < dead);
        QCOMPARE(cse->settings[QLatin1String("safe")], QJsonValue(false));
        QCOMPARE(read.rest[QLatin1String("steps")].toInt(), 2);
        const auto text =
            std::find_if(read.passes.begin(), read.passes.end(), [](const PassChoice& each) { return each.isText(); });
        QCOMPARE(text->file, folder.filePath(QStringLiteral("p.py")));
        QCOMPARE(text->name, QStringLiteral("Name"));
        QVERIFY_THROWS_EXCEPTION(fx::Error, PassChoices::fromPipeline(R"({"passes": ["no_such"]})", {}));
    }

    /// A pipeline of a stranger: neither passes nor what they import come from elsewhere.
    void pipeline_namesFilesInItsFolder() {
        QTemporaryDir folder, elsewhere;
        const QString path = folder.filePath(QStringLiteral("pipeline.json")),
                      other = elsewhere.filePath(QStringLiteral("p.py"));
        const auto put = [](const QString& file) {
            QFile out(file);
            QVERIFY(out.open(QFile::WriteOnly));
            QVERIFY(out.write("def p(gm): pass\n") > 0);
        };
        put(other), put(folder.filePath(QStringLiteral("q.py")));
        QVERIFY(QFile::link(other, folder.filePath(QStringLiteral("link.py"))));
        const auto opened = [&](const QString& file, const char* text) {
            const QString json = QStringLiteral(R"({"passes": [{"file": "%1"%2}]})").arg(file, QLatin1String(text));
            return PassChoices::fromPipeline(json.toUtf8(), path).passes.at(0).file;
        };
        for (const QString& outside : {other, QStringLiteral("link.py"), QStringLiteral("../p.py")})
            QVERIFY_THROWS_EXCEPTION(fx::Error, opened(outside, ""));
        QCOMPARE(opened(other, R"(, "text": "def p(gm): pass")"), folder.filePath(QStringLiteral("p.py")));
        // Saving gives what can be opened.
        PassChoices choices;
        choices.passes.resize(2);
        choices.passes[0].file = other;
        choices.passes[1].file = folder.filePath(QStringLiteral("q.py"));
        const QJsonObject saved = choices.pipelineAt(path);
        QCOMPARE(saved[QLatin1String("passes")][1][QLatin1String("file")].toString(), QStringLiteral("q.py"));
        QCOMPARE(saved[QLatin1String("passes")][0][QLatin1String("text")].toString(),
                 QStringLiteral("def p(gm): pass\n"));
        QCOMPARE(PassChoices::fromPipeline(QJsonDocument(saved).toJson(), path).passes.size(), 2u);
    }

    void completion_followsTheReceiver_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("there");
        QTest::addColumn<QByteArray>("notThere");
        QTest::newRow("node") << QByteArray("    node.re") << QByteArray("replace_all_uses_with")
                              << QByteArray("recompile");
        QTest::newRow("graph") << QByteArray("  gm.graph.") << QByteArray("inserting_after") << QByteArray("users");
        QTest::newRow("module") << QByteArray("gm.") << QByteArray("recompile") << QByteArray("erase_node");
        QTest::newRow("fx") << QByteArray("fx.") << QByteArray("Transformer") << QByteArray("op");
        QTest::newRow("word") << QByteArray("if node.op == 'call_f") << QByteArray("call_function") << QByteArray("op");
    }
    void completion_followsTheReceiver() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, there);
        QFETCH(QByteArray, notThere);
        int typed = 0;
        const QByteArrayList names = completionsAt(line, typed);
        QVERIFY2(names.contains(there), names.join(' ').constData());
        QVERIFY2(!names.contains(notThere), names.join(' ').constData());
    }
    void completion_elsewhere_isQuiet() {
        int typed = 0;
        QVERIFY(completionsAt("    x", typed).isEmpty());
        QVERIFY(completionsAt("torch.", typed).isEmpty());
        QVERIFY(signatureOf("erase_node").contains("to_erase"));
    }

    void shippedPasses_haveTextAndAbout() {
        QVERIFY(shippedPasses().size() >= 8);
        for (const ShippedPass& pass : shippedPasses()) {
            QVERIFY2(pass.text.contains("def "), qPrintable(pass.name));
            QVERIFY2(!pass.about.isEmpty(), qPrintable(pass.name));
        }
    }

    void report_tellsWhatWasFusedAndWhyNot() {
        const fx::Warnings notes = {
            {fx::Message("passes.onednn_fused", {{"nodes", "conv1 + relu"},
                                                 {"kernel", "onednn"},
                                                 {"millis", "1.5"},
                                                 {"plain", "3"},
                                                 {"factor", "2"},
                                                 {"low", "1.8"},
                                                 {"high", "2.2"}}),
             "conv1",
             {},
             {}},
            {fx::Message("passes.onednn_kernel", {{"kernel", "mkl"},
                                                  {"millis", "0.5"},
                                                  {"plain", "0.4"},
                                                  {"factor", "0.8"},
                                                  {"low", "0.7"},
                                                  {"high", "0.9"}}),
             "fc",
             {},
             {}},
            {fx::Message("passes.onednn_folded", {{"nodes", "conv2 + bn2"}}), "conv2", {}, {}},
            {fx::Message("passes.onednn_training", {{"module", "bn"}}), "bn", {}, {}},
            {fx::Message("passes.onednn_whole",
                         {{"before", "10"}, {"after", "5"}, {"factor", "2"}, {"low", "1.9"}, {"high", "2.1"}}),
             {},
             {},
             {}},
        };
        const OptimiseFacts facts = optimiseFacts(notes);
        QCOMPARE(facts.layers.size(), 4u);
        QVERIFY(facts.whole == OptimiseFacts::Whole::Faster);
        QVERIFY(facts.factor == 2);
        QVERIFY(facts.afterMs == 5);
        QVERIFY(wholeText(facts).contains(QStringLiteral("2.00× (1.90 to 2.10)")));
        QCOMPARE(facts.layers[0].layer, QStringLiteral("conv1 + relu"));
        QVERIFY(facts.layers[1].outcome == LayerReport::Outcome::Unused);
        QVERIFY(facts.layers[1].ms == 0.5);
        QVERIFY(facts.layers[2].outcome == LayerReport::Outcome::Folded);
        QVERIFY(facts.layers[2].why.isEmpty());
        QVERIFY(facts.layers[3].outcome == LayerReport::Outcome::Refused);
        QVERIFY(!facts.layers[3].why.isEmpty());
        LayerReportModel model(facts.layers);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.index(0, LayerReportModel::Layer).data().toString(), QStringLiteral("conv1 + relu"));
        QCOMPARE(model.index(0, LayerReportModel::Outcome).data().toString(),
                 QStringLiteral("fused, 2.00× (1.80 to 2.20)"));
    }

    void report_ofAModelThatStays_saysThatNothingIsFused() {
        fx::PassReport report;
        report.notes = {
            {fx::Message("passes.onednn_stays",
                         {{"nodes", "conv1 + relu"}, {"kernel", "onednn"}, {"millis", "1.5"}, {"plain", "3"}}),
             "conv1",
             {},
             {}},
            {fx::Message("passes.onednn_few", {{"before", "964"}, {"after", "172"}, {"count", 1}}), {}, {}, {}}};
        const fx::Warnings warnings = {
            {fx::Message("timing.other_load", {{"busy", "1.9"}, {"processors", 2}}), {}, {}, {}}};
        const OptimiseReport shown(QStringLiteral("net.pt"), report, warnings, nullptr);
        QCOMPARE(shown.count()->text(), QStringLiteral("No layer fused, 1 unchanged"));
        QVERIFY2(shown.whole()->text().startsWith(QStringLiteral(
                     "The model was measured only once in the time given, which shows nothing, so it stays")),
                 qPrintable(shown.whole()->text()));
        QVERIFY(shown.whole()->property("role") != QVariant("ok"));
        QVERIFY(!shown.whole()->text().contains(QLatin1Char('(')));
        QCOMPARE(shown.doubts()->text(),
                 QStringLiteral("Other processes kept 1.9 of 2 processors busy during the measurement."));
        QVERIFY(!shown.heatBefore()->isVisibleTo(&shown));
        QCOMPARE(shown.table()->model()->index(0, LayerReportModel::Outcome).data().toString(),
                 QStringLiteral("not fused: the whole model is not shown to be faster"));
    }
};

QTEST_MAIN(TestPassChoices)
#include "tst_pass_choices.moc"

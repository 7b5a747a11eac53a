// SPDX-License-Identifier: GPL-3.0-or-later
// What draw and convert write.
#include "program.h"
#include "tests/sanitized.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

class TestCliFiles : public QObject {
    Q_OBJECT
private:
    static QStringList filesIn(const QTemporaryDir& folder) {
        return QDir(folder.path()).entryList(QDir::Files, QDir::Name);
    }

private Q_SLOTS:
    void errors_areTextEvenOfFilesThatAreNot() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("bad.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: 'f32[3]'):\n        y = \xff\xfe((x;\n");
        file.close();
        const Run run = lancet({"graph", file.fileName()});
        QVERIFY(run.exit > 0);
        QVERIFY2(run.error.contains("y = \\xff\\xfe((x;"), run.error);
        QCOMPARE(QString::fromUtf8(run.error).toUtf8(), run.error);
    }

    void convert_toDescription_keepsGraphAndCode_data() {
        QTest::addColumn<QString>("file");
        for (const char* file :
             {"simple_net.pt", "my_module.pt", "resnet.pt", "densenet.pt", "transformer.pt", "transformer.pt2"})
            QTest::newRow(file) << file;
    }
    void convert_toDescription_keepsGraphAndCode() {
        QFETCH(QString, file);
        const QTemporaryDir folder;
        const QString model = sample(qPrintable(file)), copy = folder.filePath("net.json");
        const Run convert = lancet({"convert", model, "-o", copy, "--json"});
        QVERIFY2(convert.exit == 0, convert.error);
        QCOMPARE(convert.json()["verified"].toBool(), true);
        QCOMPARE(convert.json()["written"].toString(), copy);
        QCOMPARE(filesIn(folder), QStringList({"net.json", "net.safetensors"}));
        for (const char* verb : {"graph", "code", "tabular"})
            QCOMPARE(lancet({verb, copy}).out, lancet({verb, model}).out);
        QJsonObject before = lancet({"info", model, "--json"}).json(), after = lancet({"info", copy, "--json"}).json();
        for (const char* key : {"nodes", "modules", "parameters", "buffers", "inputs", "dialect"})
            QCOMPARE(after[key], before[key]);
    }

    void convert_noVerify_saysSo() {
        const QTemporaryDir folder;
        const Run run =
            lancet({"convert", sample("my_module.pt"), "-o", folder.filePath("a.json"), "--no-verify", "--json"});
        QCOMPARE(run.exit, 0);
        QCOMPARE(run.json()["verified"].toBool(true), false);
    }

    void convert_toSource_isOneClassWithForward() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("net.py");
        const Run run = lancet({"convert", sample("simple_net.pt"), "-o", path});
        QVERIFY2(run.exit == 0, run.error);
        const QString text = QString::fromUtf8(contentOf(path));
        QVERIFY(text.contains("self.conv = torch.nn.Conv2d(3, 8, (3, 3), padding=(1, 1))\n"));
        QVERIFY(text.contains("self.scale = torch.nn.Parameter(torch.empty([8, 1, 1]))\n"));
        // forward is what `code` prints, indented
        const QString code = QString::fromUtf8(lancet({"code", sample("simple_net.pt")}).out).trimmed();
        QVERIFY(text.endsWith("    " + QString(code).replace("\n", "\n    ") + "\n"));
        QCOMPARE(QString::fromUtf8(lancet({"convert", sample("simple_net.pt"), "-o", "-"}).out), text);
    }

    void convert_refused_leavesTheTarget() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("net.pt2");
        put(path, "old");
        QCOMPARE(lancet({"convert", sample("simple_net.pt"), "-o", path}).exit, 4);
        QCOMPARE(contentOf(path), QByteArray("old"));
        QCOMPARE(filesIn(folder), QStringList("net.pt2"));
    }

    void draw_svg_isWellFormedAndShowsTheNodes() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("net.svg");
        QCOMPARE(lancet({"draw", sample("simple_net.pt"), "-o", path, "--expand", "all"}).exit, 0);
        const QByteArray svg = contentOf(path);
        QXmlStreamReader reader(svg);
        while (!reader.atEnd()) reader.readNext();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        for (const char* name : {"conv", "relu", "max_pool2d", "flatten", "linear"}) QVERIFY2(svg.contains(name), name);
        QCOMPARE(lancet({"draw", sample("simple_net.pt"), "-o", "-", "--expand", "all"}).out, svg);
    }

    void draw_colourByPartition_hasALegend() {
        const QStringList common = {"draw", sample("transformer.pt"), "-o", "-", "--expand", "all"};
        const QString plain = lancet(common).out;
        const QString coloured =
            lancet(common + QStringList{"--color", "partition", "--support", sample("support.json")}).out;
        QVERIFY(!plain.contains("partition 0 ("));
        QVERIFY2(coloured.contains("partition 0 ("), qPrintable(coloured.left(2000)));
        QVERIFY2(coloured.contains("#0072B2"), qPrintable(coloured.left(2000)));
        QCOMPARE(lancet(common + QStringList{"--color", "partition"}).exit, 2);
        const Run untold = lancet(common + QStringList{"--color", "dtype"});
        QVERIFY2(untold.error.contains("gives no dtypes"), qPrintable(untold.error));
    }

    void draw_colourByTime_showsTheTimeOfEachNode() {
        if (kSanitized) return; // LibTorch has no sanitizers: those builds have no worker
        const QStringList common = {
            "draw", sample("simple_net.pt"), "-o", "-", "--expand", "all", "--color", "time", "--seconds", "0.3"};
        const Run run =
            lancet(common + QStringList{"--input", "x=1x3x16x16:torch.float"}); // as PyTorch also calls float32
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY2(run.out.contains("up to "), run.out.left(2000));
        QVERIFY2(run.out.contains("#123A9C"), run.out.left(2000)); // the longest node has the darkest colour
        static const QRegularExpression kTime(
            QStringLiteral("<title>[^<]*</title>\\n<text[^>]*>conv</text>\\n<text[^>]*>[0-9.]+ [nµm]?s</text>"));
        QVERIFY2(QString::fromUtf8(run.out).contains(kTime), run.out.left(4000));
        const QTemporaryDir folder;
        QCOMPARE(lancet({"draw", sample("simple_net.pt"), "-o", folder.filePath("x.dot"), "--color", "time"}).exit, 2);
        QCOMPARE(lancet({"draw", sample("simple_net.pt"), "-o", "-", "--input", "x=1x3x16x16"}).exit, 2);
        const Run wrong = lancet(common + QStringList{"--input", "x=1x5x16x16"});
        QCOMPARE(wrong.exit, 5);
        QVERIFY2(wrong.error.contains("conv"), wrong.error);
        QVERIFY2(wrong.error.contains("file: resources/samples/simple_net.pt\n"), wrong.error);
    }

    void draw_json_hasGeometryOfEveryNode() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("net.json");
        const Run run =
            lancet({"draw", sample("my_module.pt"), "-o", path, "--expand", "all", "--engine", "layered", "--json"});
        QVERIFY2(run.exit == 0, run.error);
        const QJsonObject picture = QJsonDocument::fromJson(contentOf(path)).object();
        QStringList keys = picture.keys();
        for (const char* key : {"nodes", "groups", "edges", "millis"}) QVERIFY2(keys.contains(key), key);
        QCOMPARE(picture["nodes"].toArray().size(), run.json()["nodes"].toInt());
        for (const auto& node : picture["nodes"].toArray())
            for (const char* key : {"name", "x", "y", "w", "h", "group"}) QVERIFY(node.toObject().contains(key));
        for (const auto& edge : picture["edges"].toArray()) QVERIFY(edge.toObject()["points"].toArray().size() >= 2);
    }

    void draw_dot_isADigraphOfAllNodes() {
        const Run run = lancet({"draw", sample("my_module.pt"), "-o", "-", "--as", "dot"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(run.out.startsWith("digraph"));
        QVERIFY(run.out.contains("topk"));
    }

    void draw_expansion_changesWhatIsShown() {
        const QTemporaryDir folder;
        const auto nodes = [&](const QStringList& options) {
            const Run run =
                lancet(QStringList{"draw", sample("resnet.pt"), "-o", folder.filePath("x.svg"), "--json"} + options);
            return run.exit == 0 ? run.json()["nodes"].toInt() : -1;
        };
        const int none = nodes({"--expand", "none"}), all = nodes({"--expand", "all"});
        const QJsonArray modules = lancet({"modules", sample("resnet.pt"), "--json"}).json()["modules"].toArray();
        QString group; // the first module that has modules inside
        for (int i = 1; i + 1 < modules.size() && group.isEmpty(); ++i) {
            const QString path = modules[i].toObject()["path"].toString();
            if (modules[i + 1].toObject()["path"].toString().startsWith(path + ".")) group = path;
        }
        const int one = nodes({"--expand", group + ".0"}); // opens what is around it, too
        QVERIFY2(0 < none, qPrintable(QString("%1 %2 %3").arg(none).arg(one).arg(all)));
        QVERIFY2(none < one, qPrintable(QString("%1 %2 %3").arg(none).arg(one).arg(all)));
        QVERIFY2(one < all, qPrintable(QString("%1 %2 %3").arg(none).arg(one).arg(all)));
    }

    void draw_direction_changesThePicture() {
        const auto svg = [](const QStringList& options) {
            return lancet(QStringList{"draw", sample("simple_net.pt"), "-o", "-"} + options).out;
        };
        const QByteArray plain = svg({});
        QVERIFY(plain.size() > 500);
        QCOMPARE(svg({}), plain);
        QVERIFY(svg({"--direction", "LR"}) != plain);
    }

    void output_existingTarget_isReplacedWholly() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("net.svg");
        put(path, QByteArray(1 << 20, 'x'));
        QCOMPARE(lancet({"draw", sample("my_module.pt"), "-o", path}).exit, 0);
        QVERIFY(contentOf(path).trimmed().endsWith("</svg>"));
        QCOMPARE(filesIn(folder), QStringList("net.svg"));
    }

    void model_fromStandardInput_isTheSame() {
        const QByteArray bytes = contentOf(LANCET_SOURCE_DIR "/resources/samples/my_module.pt");
        QCOMPARE(lancet({"graph", "-"}, bytes).out, lancet({"graph", sample("my_module.pt")}).out);
        const QTemporaryDir folder;
        QCOMPARE(lancet({"convert", "-", "-o", folder.filePath("a.json")}, bytes).exit, 0);
        QCOMPARE(lancet({"info", "-"}, "nonsense").exit, 3);
        if (kSanitized) return; // there is no worker
        QCOMPARE(lancet({"run", "-", "--guess", "-o", folder.filePath("out.pt")}, bytes).exit, 0);
        const Run verified = lancet({"verify", "-", sample("my_module.pt"), "--guess"}, bytes);
        QVERIFY2(verified.exit == 0, verified.error.constData());
    }

    /// Names and keys of a description cannot add lines to the result.
    void verify_lineBreaksInNamesAndKeys_addNoLines() {
        if (kSanitized) return; // there is no worker
        const QTemporaryDir folder;
        const auto model = [&](const char* name, const char* function) {
            QByteArray text = R"-({"lancet_ir": 1, "nodes": ["x", {"op": "call_function", "target": "FUNCTION",
                "args": [{"node": "x"}], "name": "y: max abs 0\nequal\ny"}, {"op": "output", "args": [
                {"dict": [["k    equal\nequal", {"node": "y: max abs 0\nequal\ny"}]]}]}]})-";
            put(folder.filePath(name), text.replace("FUNCTION", function));
            return folder.filePath(name);
        };
        const Run done =
            lancet({"verify", model("a.json", "torch.tanh"), model("b.json", "torch.relu"), "--input", "x=2x2"});
        QCOMPARE(done.exit, 1);
        QVERIFY2(!done.out.contains("\nequal"), done.out.constData());
        QVERIFY2(done.error.contains("renamed the node 'y: max abs 0\\nequal\\ny'"), done.error.constData());
    }

    /// A script reads a member by its name, which stands there without quotes.
    void script_memberThatIsMoreThanAName_isRefused() {
        if (kSanitized) return; // there is no worker
        const QTemporaryDir folder;
        put(folder.filePath("a.json"),
            R"-({"lancet_ir": 1, "nodes": ["x", {"op": "call_function", "target": "builtins.getattr", "name": "y",
            "args": [{"node": "x"}, "T\n    z = torch.save(x, 'a')\n    y = x.T"]},
            {"op": "output", "args": [{"node": "y"}]}]})-");
        const Run done = lancet({"convert", folder.filePath("a.json"), "-o", folder.filePath("a.ts")});
        QVERIFY(done.exit != 0);
        QVERIFY(!QFile::exists(folder.filePath("a.ts")));
        QVERIFY2(done.error.contains("identifier"), done.error.constData());
    }

    /// A line break is spelled, so that one name cannot pass for two.
    void names_withLineBreaks_areSpelledInSummaries() {
        const QTemporaryDir folder;
        put(folder.filePath("a.json"), R"-({"lancet_ir": 1, "class_name": "Net\nOther", "nodes": ["x",
            {"op": "output", "args": [{"node": "x"}]}], "modules": {"a\nb": {"type": "torch.nn.ReLU"}}})-");
        QVERIFY(lancet({"info", folder.filePath("a.json")}).out.contains("Net\\nOther"));
        QVERIFY(lancet({"modules", folder.filePath("a.json")}).out.contains("a\\nb: ReLU"));
    }

    void guess_ofAnImage_isOneThatTheLayersBehindItTake() {
        if (kSanitized) return; // there is no worker
        const QTemporaryDir folder;
        const Run proposed = lancet({"run", sample("simple_net.pt"), "-o", folder.filePath("out.pt")});
        QCOMPARE(proposed.exit, 2);
        QVERIFY2(proposed.error.contains("x=1x3x16x16:float32"), proposed.error.constData());
        const Run run = lancet({"run", sample("simple_net.pt"), "--guess", "-o", folder.filePath("out.pt")});
        QVERIFY2(run.exit == 0, run.error.constData());
        QVERIFY2(run.error.contains("1×3×16×16"), run.error.constData());
    }
};

QTEST_APPLESS_MAIN(TestCliFiles)
#include "tst_cli_files.moc"

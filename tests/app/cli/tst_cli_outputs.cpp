// SPDX-License-Identifier: GPL-3.0-or-later
// Where results are written, and what they never replace.
#include "program.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <sys/stat.h>
#include <unistd.h>

class TestCliOutputs : public QObject {
    Q_OBJECT
private:
    std::optional<QTemporaryDir> m_folder;

    QString path(const QString& name) const { return m_folder->filePath(name); }
    Run run(const QStringList& arguments) const { return lancet(arguments, {}, m_folder->path()); }
    /// Every file and what is in it.
    QMap<QString, QByteArray> files() const {
        QMap<QString, QByteArray> all;
        for (const QString& name : QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden))
            all[name] = contentOf(path(name));
        return all;
    }

private Q_SLOTS:
    void init() {
        m_folder.emplace();
        const QString samples = LANCET_SOURCE_DIR "/resources/samples/";
        for (const auto& [name, from] :
             {std::pair("n.pt", "simple_net.pt"), std::pair("in.pt", "my_module.pt"), std::pair("p.py", "patterns.py"),
              std::pair("r.json", "recipe.json"), std::pair("net.py", "two_branches.py"),
              std::pair("rules.json", "support.json")})
            QVERIFY(QFile::copy(samples + from, path(name)));
        put(path("sd.safetensors"), "weights");
        QVERIFY(QFile::link(path("n.pt"), path("link.pt")));
        QCOMPARE(::link(path("n.pt").toUtf8().constData(), path("hard.pt").toUtf8().constData()), 0);
        QVERIFY(QDir(m_folder->path()).mkdir("sub"));
    }

    /// 2^40 paths: everything that goes by paths refuses, and the rest is done once for a module.
    void modulesThatShareChildren_endSoon_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::newRow("torchscript") << QStringList{"convert", "m.json", "-o", "x.ts"} << 4;
        QTest::newRow("folder") << QStringList{"convert", "m.json", "-o", "x/"} << 4;
        QTest::newRow("pt") << QStringList{"convert", "m.json", "-o", "x.pt"} << 0;
        QTest::newRow("json") << QStringList{"convert", "m.json", "-o", "x.json"} << 0;
        QTest::newRow("diff") << QStringList{"diff", "m.json", "m.json"} << 0;
        QTest::newRow("modules") << QStringList{"modules", "m.json"} << 0;
    }
    void modulesThatShareChildren_endSoon() {
        QFETCH(QStringList, arguments);
        QByteArray modules = R"("m0": {"type": "torch.nn.ReLU"})";
        for (int i = 1; i < 40; ++i)
            modules += QStringLiteral(R"(, "m%1": {"modules": {"a": {"same_as": "m%2"}, "b": {"same_as": "m%2"}}})")
                           .arg(i)
                           .arg(i - 1)
                           .toUtf8();
        put(path("m.json"), R"({"lancet_ir": 1, "nodes": ["x", {"op": "output", "args": [{"node": "x"}]}],
                               "modules": {)" +
                                modules + "}}");
        const Run made = run(arguments);
        QTEST(made.exit, "exit");
        if (made.exit == 4) QVERIFY2(made.error.contains("modules that share children have more than 1"), made.error);
    }

    /// The line of a node that failed: cut, and nothing in it looks like a line of Lancet's own.
    void textsInErrors_areCutAndOnOneLine() {
        const auto error = [&](const QByteArray& text) {
            put(path("m.json"), R"({"lancet_ir": 1, "nodes": ["x", {"op": "call_function", "target": "torch.relu",
                                   "args": [{"node": "x"}, ")" +
                                    text + R"("], "name": "r"},
                                   {"op": "output", "args": [{"node": "r"}]}]})");
            const Run made = run({"run", "m.json", "--input", "x=2x2"});
            return made.exit == 5 ? made.error : "exit " + QByteArray::number(made.exit) + made.error;
        };
        const QByteArray forged = error(R"(a\nlancet: the model is signed\n  file: /etc/x\r)");
        QVERIFY2(forged.contains(R"(a\nlancet: the model is signed\n  file: /etc/x\x0d)"), forged);
        QCOMPARE(forged.count("\nlancet: the model"), 0);
        const QByteArray many = error(QByteArray(R"(\n)").repeated(1'000'000));
        QVERIFY2(many.contains("  source: %r : "), many.left(5'000));
        QVERIFY2(many.size() < 10'000, many.left(5'000));
    }

    /// Each turn that is tried leaves a block behind, whose name is free at once.
    void longLoopOfScript_isReadAtOnce() {
        QVERIFY(QFile::copy(LANCET_SOURCE_DIR "/tests/data/torchscript/prints.ts", path("prints.ts")));
        const Run shown = run({"graph", "prints.ts"});
        QCOMPARE(shown.exit, 0);
        QCOMPARE(shown.out.count("call_module"), 0); // nothing uses what a loop prints
    }

    void longWarnings_areCut() {
        const QByteArray nested = QByteArray("(").repeated(100'000) + "v0" + QByteArray(",)").repeated(100'000);
        put(path("d.log"), "V0701 12:00:00.000000 1 torch/x.py:1] {\"aot_forward_graph\": {}, \"frame_id\": 0, "
                           "\"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"x\"}\n"
                           "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, v0: \"f32[2, 2]\"):\n"
                           "\t        a: \"f32[2]\" = torch.ops.aten.cat.default(" +
                               nested + ")\n\t        return (a,)\n");
        const Run shown = run({"graph", "d.log#0/0:aot_forward_graph"});
        QCOMPARE(shown.exit, 0);
        QVERIFY2(shown.error.contains("argument kept as text: ((("), shown.error.left(300));
        QVERIFY2(shown.error.size() < 10'000, shown.error.left(300));
    }

    void scriptThatLosesMethods_doesNotReplaceItself() {
        const QString whole = LANCET_SOURCE_DIR "/tests/data/torchscript/modes.ts";
        QVERIFY(QFile::copy(whole, path("modes.ts")));
        const auto edit = [&](const char* output) {
            return run({"edit", "modes.ts", "--step", R"({"step": "rename", "node": "x", "name": "y"})", "-o", output});
        };
        const Run refused = edit("modes.ts");
        QCOMPARE(refused.exit, 4);
        QVERIFY2(refused.error.contains("lacks parts of it"), refused.error);
        QVERIFY2(refused.error.contains("second"), refused.error);
        QCOMPARE(contentOf(path("modes.ts")), contentOf(whole));
        const Run written = edit("other.ts");
        QCOMPARE(written.exit, 0);
        QVERIFY2(written.error.contains("give inputs to `lancet convert`"), written.error);
        QVERIFY2(!written.error.contains("give inputs;"), written.error);
        QCOMPARE(run({"convert", "modes.ts", "-o", "modes.ts"}).exit, 0); // as it was
    }

    void output_thatIsAnInput_isRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("says");
        const auto row = [](const char* name, const char* arguments, const QStringList& says) {
            QTest::newRow(name) << QString(arguments).split(' ') << says;
        };
        const QStringList overModel = {"--output", "MODEL"};
        row("picture", "draw r.json -o r.json", overModel);
        row("other spelling", "run n.pt -o sub/../n.pt", overModel);
        row("symbolic link", "run n.pt -o link.pt", overModel);
        row("hard link", "run hard.pt -o n.pt", overModel);
        row("part of the model", "extract n.pt --nodes conv -o n.pt", overModel);
        row("trace", "trace net.py -o net.py", overModel);
        row("trace of a class", "trace net.py:TwoBranches -o net.py", overModel);
        row("source", "convert net.py -o net.py", overModel);
        row("page", "report n.html -o n.html", overModel);
        row("recipe", "apply n.pt r.json -o r.json", {"--output", "RECIPE"});
        row("pattern", "replace n.pt --pattern p.py:pattern -o p.py", {"--output", "--pattern"});
        row("replacement", "replace n.pt --pattern net.py --replacement p.py -o p.py", {"--output", "--replacement"});
        row("rules", "partition n.pt --support rules.json -o rules.json", {"--output", "--support"});
        row("pass", "pass n.pt --file p.py:f -o p.py", {"--output", "--file"});
        row("inputs", "run n.pt --inputs in.pt -o in.pt", {"--output", "--inputs"});
        row("calibration", "quantize n.pt --inputs in.pt -o in.pt", {"--output", "--inputs"});
        row("qconfig", "quantize n.pt --qconfig r.json -o r.json", {"--output", "--qconfig"});
        row("report over the model", "quantize n.pt -o q.pt --report n.pt", {"--report", "MODEL"});
        row("report over the result", "quantize n.pt -o q.pt --report q.pt", {"--output", "--report"});
        row("scan over the result", "quantize n.pt -o q.pt --resume sub/../q.pt", {"--output", "--resume"});
        row("state dict", "trace net.py --weights in.pt -o in.pt", {"--output", "--weights"});
        row("weights beside", "trace net.py --weights sd.safetensors -o sd.json", {"--output", "--weights"});
        row("table", "bench in.pt n.pt --csv link.pt", {"--csv", "MODEL"});
        row("folder around a model", "quantize n.pt --inputs in.pt -o ./", overModel);
    }
    void output_thatIsAnInput_isRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, says);
        put(path("n.html"), "page");
        const auto before = files();
        const Run done = run(arguments + QStringList("--json"));
        QCOMPARE(done.exit, 2);
        for (const QString& each : says) QVERIFY2(done.firstError().contains(each.toUtf8()), done.error);
        QVERIFY2(done.error.contains("name another file for " + says.front().toUtf8()), done.error);
        QVERIFY(done.json()["error"].toObject()["code"].toString().startsWith("cli.output"));
        QCOMPARE(files(), before);
    }

    void output_thatAStepReads_isRefused() {
        const auto before = files();
        const Run done = run({"edit", "n.pt", "--step",
                              R"({"step": "set_tensor", "path": "linear.bias", "file": "in.pt"})", "-o", "in.pt"});
        QCOMPARE(done.exit, 2);
        QVERIFY2(done.error.contains("--output in.pt would overwrite"), done.error);
        QCOMPARE(files(), before);
    }

    void changedModel_overItself_isWritten() {
        const QStringList rename = {"--step", R"({"step": "rename", "node": "relu", "name": "act"})"};
        const Run edited = run(QStringList{"edit", "n.pt", "-o", "n.pt"} + rename);
        QVERIFY2(edited.exit == 0, edited.error);
        QCOMPARE(run(QStringList{"edit", "link.pt", "-o", "renamed.json"} + rename).exit, 0);
        QVERIFY(run(QStringList{"edit", "renamed.json", "--step", R"({"step": "rename", "node": "act", "name": "r"})",
                                "-o", "renamed.json"})
                    .exit == 0);
        QVERIFY(run({"graph", "renamed.json"}).out.contains("%r :"));
        QCOMPARE(run({"convert", "n.pt", "-o", "n.json"}).exit, 0);
        for (int i = 0; i < 2; ++i) { // its weights are its own
            const Run again = run({"convert", "n.json", "-o", "n.json"});
            QVERIFY2(again.exit == 0, again.error);
        }
        QCOMPARE(run({"convert", "n.pt", "-o", "n.json"}).exit, 0);
        QCOMPARE(run({"diff", "n.pt", "n.json"}).exit, 0);
    }

    void changedModel_overItselfInAnotherFormat_isRefused() {
        QCOMPARE(run({"convert", "n.pt", "-o", "n.lancet"}).exit, 0);
        QVERIFY(QFile::rename(path("n.lancet"), path("project.pt"))); // the content decides what it is
        const auto before = files();
        const Run done = run({"convert", "project.pt", "-o", "project.pt"});
        QCOMPARE(done.exit, 2);
        QVERIFY2(done.error.contains("of format lancet"), done.error);
        QVERIFY2(done.error.contains("of format graphmodule"), done.error);
        QCOMPARE(files(), before);
    }

    /// The cache of Hugging Face has links into a folder of blobs; others that lead out are not followed.
    void imports_comeFromTheFolderAndItsBlobs() {
        const QString repository = path("hub/models--a--b/"), snapshot = repository + "snapshots/0123/";
        QVERIFY(QDir().mkpath(snapshot));
        QVERIFY(QDir().mkpath(repository + "blobs"));
        const QString hash(40, 'a');
        put(snapshot + "net.py", "import torch\nfrom helper import scale\nclass Net(torch.nn.Module):\n"
                                 "    def forward(self, x):\n        return scale(x)\n");
        put(repository + "blobs/" + hash, "def scale(x):\n    return x * 3\n");
        put(path("helper.py"), "def scale(x):\n    return x * 4\n");
        QVERIFY(QFile::link("../../blobs/" + hash, snapshot + "helper.py"));
        const Run traced = run({"code", snapshot + "net.py"});
        QVERIFY2(traced.exit == 0, traced.error);
        QVERIFY2(traced.out.contains("x * 3"), traced.error);
        QVERIFY(QFile::remove(snapshot + "helper.py"));
        QVERIFY(QFile::link(path("helper.py"), snapshot + "helper.py"));
        QCOMPARE(run({"code", snapshot + "net.py"}).exit, 4);
    }

    void description_besideForeignWeights_isRefused() {
        QCOMPARE(run({"convert", "in.pt", "-o", "n.json"}).exit, 0);
        QCOMPARE(run({"convert", "n.pt", "-o", "n.json"}).exit, 0); // its own are replaced
        QCOMPARE(run({"diff", "n.pt", "n.json"}).exit, 0);
        QByteArray weights = contentOf(path("n.safetensors"));
        put(path("own.safetensors"), weights); // left behind
        QCOMPARE(run({"convert", "n.pt", "-o", "own.json"}).exit, 0);
        QVERIFY(weights.contains("\"lancet\""));
        weights.replace("\"lancet\"", "\"others\"");
        // Another model's: without a description, and with one that uses none or not all of them.
        put(path("a.safetensors"), "somebody's");
        put(path("b.safetensors"), weights);
        put(path("c.safetensors"), weights), put(path("c.json"), "{}");
        put(path("d.safetensors"), weights);
        put(path("d.json"), R"({"lancet_ir": 1, "nodes": [{"op": "output", "name": "output", "args": [null]}]})");
        QCOMPARE(run({"info", "d.json"}).exit, 0);
        for (const char* name : {"a", "b", "c", "d"}) {
            const QString description = path(name) + ".json", beside = path(name) + ".safetensors";
            const QByteArray text = contentOf(description), before = contentOf(beside);
            const Run done = run({"convert", "n.pt", "-o", description});
            QVERIFY2(done.exit == 4, done.error);
            QVERIFY2(done.error.contains("save under another name"), done.error);
            QCOMPARE(contentOf(description), text);
            QCOMPARE(contentOf(beside), before);
        }
    }

    void description_withoutItsWeights_saysThatTheFileIsMissing() {
        QCOMPARE(run({"convert", "n.pt", "-o", "aa.json"}).exit, 0);
        QVERIFY(QFile::remove(path("aa.safetensors")));
        const Run done = run({"info", "aa.json"});
        QCOMPARE(done.exit, 3);
        QVERIFY2(done.firstError().contains("aa.safetensors"), done.error);
        QVERIFY2(done.firstError().contains("does not exist"), done.error);
    }

    void output_throughAMissingFolder_isRefused() {
        const auto before = files();
        for (const QStringList& arguments : {QStringList{"run", "n.pt", "--input", "x=1x3x16x16", "-o", "nope/../n.pt"},
                                             QStringList{"convert", "n.pt", "-o", "nope/../x.json"},
                                             QStringList{"draw", "n.pt", "-o", "nope/../x.svg"}}) {
            const Run done = run(arguments);
            QVERIFY2(done.exit > 1, done.error);
            QVERIFY2(done.error.contains("nope/../") || done.exit == 5, done.error);
        }
        QCOMPARE(files(), before);
    }

    void output_withALongName_isWritten() {
        for (const int length : {244, 255}) {
            const QString name = QString(length - 4, 'n') + ".svg";
            for (int i = 0; i < 2; ++i) {
                const Run done = run({"draw", "n.pt", "-o", name});
                QVERIFY2(done.exit == 0, done.error);
            }
            QVERIFY(contentOf(path(name)).contains("</svg>"));
            const QString model = QString(length - 3, 'm') + ".pt";
            for (int i = 0; i < 2; ++i) {
                const Run done = run({"convert", "n.pt", "-o", model});
                QVERIFY2(done.exit == 0, done.error);
            }
            QVERIFY(QFile::remove(path(name)));
            QVERIFY(QFile::remove(path(model)));
        }
        QVERIFY2(!files().keys().join(' ').contains("nn"), qPrintable(files().keys().join(' ')));
    }

    void output_danglingLink_isWrittenWhereItPoints() {
        QVERIFY(QFile::link("sub/real.svg", path("to.svg")));
        QVERIFY(QFile::link("nope/real.svg", path("lost.svg")));
        const Run done = run({"draw", "n.pt", "-o", "to.svg"});
        QVERIFY2(done.exit == 0, done.error);
        QVERIFY(QFileInfo(path("to.svg")).isSymLink());
        QVERIFY(contentOf(path("sub/real.svg")).contains("</svg>"));
        QCOMPARE(run({"draw", "n.pt", "-o", "lost.svg"}).exit, 4);
        QVERIFY(QFileInfo(path("lost.svg")).isSymLink());
    }

    void output_pipe_isRefusedUnlessItIsOpen() {
        QCOMPARE(::mkfifo(path("pipe.svg").toUtf8().constData(), 0600), 0);
        const Run done = run({"draw", "n.pt", "-o", "pipe.svg"});
        QCOMPARE(done.exit, 4);
        QVERIFY2(done.error.contains("a pipe, a device or a socket"), done.error);
        QVERIFY(QFile::remove(path("pipe.svg")));
        QVERIFY(QFile::link("/dev/stdout", path("out.svg")));
        QVERIFY(QFile::link("/dev/null", path("null.svg")));
        QVERIFY(run({"draw", "n.pt", "-o", "out.svg"}).out.contains("</svg>"));
        QCOMPARE(run({"draw", "n.pt", "-o", "null.svg"}).exit, 0);
        QVERIFY(run({"draw", "n.pt", "-o", "-"}).out.contains("</svg>"));
    }
};

QTEST_APPLESS_MAIN(TestCliOutputs)
#include "tst_cli_outputs.moc"

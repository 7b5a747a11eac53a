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

class TstCliOutputs : public QObject {
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

    void scriptThatLosesMethods_doesNotReplaceItself() {
        const QString whole = LANCET_SOURCE_DIR "/tests/data/torchscript/modes.ts";
        QVERIFY(QFile::copy(whole, path("modes.ts")));
        const auto edit = [&](const char* output) {
            return run({"edit", "modes.ts", "--step", R"({"step": "rename", "node": "x", "name": "y"})", "-o", output});
        };
        const Run refused = edit("modes.ts");
        QCOMPARE(refused.exit, 4);
        QVERIFY2(refused.error.contains("lacks parts of it") && refused.error.contains("second"), refused.error);
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
        QVERIFY2(done.error.contains("of format lancet") && done.error.contains("of format graphmodule"), done.error);
        QCOMPARE(files(), before);
    }

    void description_besideWhatHoldsNoWeights_isRefused() {
        QCOMPARE(run({"convert", "in.pt", "-o", "n.json"}).exit, 0);
        QVERIFY(QFile::remove(path("n.json"))); // weights that were left behind
        QCOMPARE(run({"convert", "n.pt", "-o", "n.json"}).exit, 0);
        QCOMPARE(run({"diff", "n.pt", "n.json"}).exit, 0);
        put(path("a.json"), "{}");
        put(path("a.safetensors"), "somebody's");
        const Run done = run({"convert", "n.pt", "-o", "a.json"});
        QCOMPARE(done.exit, 4);
        QVERIFY2(done.error.contains("save under another name"), done.error);
        QCOMPARE(contentOf(path("a.json")), QByteArray("{}"));
        QCOMPARE(contentOf(path("a.safetensors")), QByteArray("somebody's"));
    }

    void description_withoutItsWeights_saysThatTheFileIsMissing() {
        QCOMPARE(run({"convert", "n.pt", "-o", "aa.json"}).exit, 0);
        QVERIFY(QFile::remove(path("aa.safetensors")));
        const Run done = run({"info", "aa.json"});
        QCOMPARE(done.exit, 3);
        QVERIFY2(done.firstError().contains("aa.safetensors") && done.firstError().contains("does not exist"),
                 done.error);
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
            QVERIFY(QFile::remove(path(name)) && QFile::remove(path(model)));
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

QTEST_APPLESS_MAIN(TstCliOutputs)
#include "tst_cli_outputs.moc"

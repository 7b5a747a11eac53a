// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/written_check.h"
#include "core/edit/steps/steps.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/print.h"
#include "core/model_files/project/project.h"
#include "core/model_files/save_project.h"
#include "core/trace/callables.h"
#include "tests/json_steps.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

namespace {

const StepList kRename = StepList().rename("mul", "scaled");
const StepList kInsert =
    "[{\"step\": \"insert_after\", \"node\": \"scaled\", \"op\": \"call_function\", "
    "\"target\": \"torch.relu\", \"args\": [{\"node\": \"scaled\"}], \"rewire_users\": true}]"_steps;
const StepList kWeights = "[{\"step\": \"set_tensor\", \"path\": \"scale\", \"value\": [[[1]], [[2]], [[3]], [[4]], "
                          "[[5]], [[6]], [[7]], [[8]]]}]"_steps;

QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestProject : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string path(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)).toStdString(); }
    static std::string sample(const std::string& name) { return LANCET_SOURCE_DIR "/resources/samples/" + name; }
    static QString difference(const GraphModule& a, const GraphModule& b) {
        try {
            requireSame(a, b, "file");
        } catch (const Error& error) {
            return QString::fromStdString(error.what() + (" " + error.node) + error.modulePath);
        }
        return {};
    }

private Q_SLOTS:
    void unedited_keepsTheOriginalFileWhole_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("member");
        for (const char* name : {"simple_net.pt", "my_module.pt", "resnet.pt", "densenet.pt", "transformer.pt"})
            QTest::newRow(name) << name << "original.pt";
        QTest::newRow("transformer.pt2") << "transformer.pt2"
                                         << "original.pt2";
    }
    void unedited_keepsTheOriginalFileWhole() {
        QFETCH(QString, file);
        QFETCH(QString, member);
        const auto model = openModel(sample(file.toStdString()));
        const SaveReport report = saveProject(projectOf(model), *model, path("whole.lancet"), true);
        QVERIFY(report.verified);
        const auto back = openModel(path("whole.lancet"));
        QCOMPARE(back->format, Format::Lancet);
        QCOMPARE(graphText(back->graph), graphText(model->graph));
        const ZipArchive archive = ZipArchive::open(DataFile::open(path("whole.lancet")));
        const auto bytes = archive.read(*archive.find(member.toStdString()), 1 << 24);
        QCOMPARE(QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())),
                 content(QString::fromStdString(sample(file.toStdString()))));
        QVERIFY(ZipArchive::checksumMatches(*archive.find(member.toStdString()), bytes));
        // From the project a file can be saved as from the original: it still has everything.
        QVERIFY(back->origin);
    }

    void edits_areAllThere_alsoThoseUndone() {
        History history(openModel(sample("simple_net.pt")));
        history.edit("Rename mul", kRename);
        history.edit("Scale", kWeights);
        history.edit("Insert relu", kInsert);
        history.goTo(2);
        Project project = projectOf(history);
        project.view = "{\"selected\": [\"scaled\"]}";
        project.inputs = "{\"seed\": \"7\"}";
        QVERIFY(saveProject(project, *history.model(), path("edits.lancet"), true).verified);
        const auto back = openModel(path("edits.lancet"));
        QCOMPARE(graphText(back->graph), graphText(history.model()->graph));
        QVERIFY(back->graph.find("scaled") != kNoNode); // names are those of the edits, not those of loading again
        const History again = historyOf(back);
        QCOMPARE(again.entries().size(), 4u);
        QCOMPARE(again.current(), 2u);
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(difference(*again.entries()[i].model, *history.entries()[i].model), QString());
            QCOMPARE(again.entries()[i].name, history.entries()[i].name);
            QCOMPARE(again.entries()[i].steps.text(), history.entries()[i].steps.text());
        }
        QCOMPARE(projectOf(back).view, project.view);
        QCOMPARE(projectHistoryOf(back).inputs, project.inputs);
        // Saved once more, from itself and over itself.
        QVERIFY(saveProject(projectOf(again), *again.model(), path("edits.lancet"), true).verified);
        QCOMPARE(historyOf(openModel(path("edits.lancet"))).entries().size(), 4u);
    }

    void steps_goOnFromAProject() {
        const auto model = openModel(sample("simple_net.pt"));
        GraphModule edited = *model;
        applySteps(edited, kRename);
        Project project = projectOf(model);
        project.add({"one", kRename, {}});
        saveProject(project, edited, path("one.lancet"), true);
        const std::shared_ptr<const GraphModule> one = openModel(path("one.lancet"));
        edited = *one;
        applySteps(edited, kInsert);
        project = projectOf(one);
        project.add({"two", kInsert, {}});
        saveProject(project, edited, path("two.lancet"), true);
        const History history = historyOf(openModel(path("two.lancet")));
        QCOMPARE(history.entries().size(), 3u);
        QCOMPARE(graphText(history.entries()[0].model->graph), graphText(model->graph));
        QCOMPARE(graphText(history.model()->graph), graphText(edited.graph));
    }

    void apart_whereTheProjectWasReplaced_isRefused() {
        const auto made = [](const char* function) {
            GraphModule model;
            const NodeId x = model.graph.placeholder("x");
            model.graph.output(model.graph.callFunction(resolveCallable(function), {x}));
            return model;
        };
        const GraphModule edited = made("torch.relu"), other = made("torch.tanh");
        saveProject(projectApart(edited), edited, path("apart.lancet"), true);
        const History history(openModel(path("apart.lancet")));
        QVERIFY(projectOf(history).isApart);
        saveProject(projectApart(other), other, path("apart.lancet"), true);
        try {
            projectOf(history);
            QFAIL("the project of another model");
        } catch (const Error& error) { QVERIFY(error.message().is("project.replaced")); }
    }

    void apart_sharesTheWeightsOfTheOriginal() {
        const auto model = openModel(sample("resnet.pt"));
        GraphModule edited = *model;
        applySteps(edited, StepList().rename("relu", "first").setTraining("", false));
        QVERIFY(saveProject(projectApart(edited), edited, path("apart.lancet"), true).verified);
        const auto back = openModel(path("apart.lancet"));
        QCOMPARE(difference(*back, edited), QString());
        const Project project = projectOf(back);
        QVERIFY(project.isApart);
        QCOMPARE(graphText(project.original->graph), graphText(model->graph));
        const ZipArchive archive = ZipArchive::open(DataFile::open(path("apart.lancet")));
        for (const ZipMember& member : archive.members())
            QVERIFY2(!member.name.starts_with("data/"), member.name.c_str());
    }

    void description_asOriginal() {
        const auto model = openModel(sample("simple_net.pt"));
        writeIrJson(*model, path("net.json"));
        const auto ir = openModel(path("net.json"));
        QVERIFY(saveProject(projectOf(ir), *ir, path("ir.lancet"), true).verified);
        QVERIFY(QFile::remove(QString::fromStdString(path("net.safetensors"))));
        const auto back = openModel(path("ir.lancet"));
        QCOMPARE(difference(*back, *model), QString());
        QCOMPARE(projectOf(back).original->format, Format::Ir);
    }

    void damaged_isRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("why");
        QTest::newRow("version") << "{\"lancet\": 2}"
                                 << "version 1";
        QTest::newRow("no original") << "{\"lancet\": 1, \"graph\": \"\", \"edits\": [], \"version\": 0}"
                                     << "original";
        QTest::newRow("missing part") << "{\"lancet\": 1, \"graph\": \"\", \"original\": {\"archive\": \"gone.pt\", "
                                         "\"path\": \"\", \"model_name\": \"\"}, \"edits\": [], \"version\": 0}"
                                      << "missing part gone.pt";
        QTest::newRow("archive that is none")
            << "{\"lancet\": 1, \"graph\": \"\", \"original\": {\"archive\": \"lancet.json\", \"path\": \"\", "
               "\"model_name\": \"\"}, \"edits\": [], \"version\": 0}"
            << "zip";
        const QString ir = "{\"lancet\": 1, \"graph\": \"\", \"original\": {\"description\": \"d.json\", \"format\": "
                           "\"ir\", \"path\": \"\", \"weights\": [%1]}, \"edits\": [%2], \"version\": %3}";
        QTest::newRow("no such data")
            << ir.arg("{\"name\": \"w\", \"dtype\": \"F32\", \"shape\": [2], \"data\": \"data/9\"}", "", "0")
            << "missing part data/9";
        QTest::newRow("other size")
            << ir.arg("{\"name\": \"w\", \"dtype\": \"F32\", \"shape\": [3], \"data\": \"data/0\"}", "", "0")
            << "does not match its shape";
        QTest::newRow("overflow")
            << ir.arg(
                   "{\"name\": \"w\", \"dtype\": \"F32\", \"shape\": [4611686018427387904, 16], \"data\": \"data/0\"}",
                   "", "0")
            << "expected a size";
        QTest::newRow("negative") << ir.arg(
                                         "{\"name\": \"w\", \"dtype\": \"F32\", \"shape\": [-2], \"data\": \"data/0\"}",
                                         "", "0")
                                  << "expected a size";
        QTest::newRow("no original archive")
            << ir.arg("{\"name\": \"w\", \"dtype\": \"F32\", \"shape\": [2], \"in_original\": 0}", "", "0")
            << "no original";
        QTest::newRow("too many undone") << ir.arg("", "", "1") << "has fewer edits";
        QTest::newRow("edit that does not fit")
            << ir.arg("", "{\"name\": \"x\", \"time\": 9223372036854775807, \"steps\": \"bad.json\"}", "1")
            << "edit 1 of the project";
        const QString twice = "{\"name\": \"x\", \"time\": 0, \"steps\": \"bad.json\"}";
        QTest::newRow("steps of two edits") << ir.arg("", twice + ", " + twice, "0") << "have the same steps";
    }
    void damaged_isRefused() {
        QFETCH(QString, what);
        QFETCH(QString, why);
        std::string bytes;
        ZipWriter zip([&bytes](std::string_view more) { bytes += more; });
        zip.add("d.json",
                "{\"lancet_ir\": 1, \"nodes\": [\"x\", {\"op\": \"output\", \"args\": [{\"node\": \"x\"}]}]}");
        zip.add("data/0", "12345678");
        zip.add("bad.json", kRename.text());
        zip.add("lancet.json", what.toStdString());
        zip.finish();
        QFile file(QString::fromStdString(path("bad.lancet")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes.data(), qint64(bytes.size()));
        file.close();
        try {
            openModel(path("bad.lancet"));
            QFAIL("it was opened");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::File);
            QVERIFY2(QString::fromUtf8(error.what()).contains(why), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(TestProject)
#include "tst_project.moc"

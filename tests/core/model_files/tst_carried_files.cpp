// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/extract.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/files/replaced_file.h"
#include "core/io/zip/zip_archive.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/pasted_files.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_pipeline.h"
#include "core/model_files/save_project.h"
#include "tests/failure.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace fx;

/// Files that steps read go where the steps go: recipes, projects, crash journals. Those that nobody needs go away.
class TestCarriedFiles : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    std::string m_model;

    std::string at(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)).toStdString(); }
    std::string pasted() const { return at("pasted"); }
    QStringList files(const std::string& folder) const {
        return QDir(QString::fromStdString(folder)).entryList(QDir::Files | QDir::Hidden);
    }
    /// The linear layer of the model with its weights, as copying writes it.
    std::shared_ptr<const PastedFile> pastedLinear() const {
        const auto model = openModel(m_model);
        const Extracted copied = extractNodes(*model, std::array{model->graph.find("linear")});
        return PastedFile::make(pasted(), [&](const std::string& path) { saveGraphModule(copied.model, path, false); });
    }
    static StepList inserting(const std::string& file, const GraphModule& model) {
        const NodeId input = model.graph.node(model.graph.find("linear")).inputs().front();
        return StepList().insertModel(file, "linear", model.graph, {{model.graph.node(input).name(), input}});
    }
    History edited(const std::string& file) const {
        History history(openModel(m_model));
        history.edit("Paste 1 node", inserting(file, *history.model()));
        return history;
    }

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_model = at("simple_net.pt");
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                            QString::fromStdString(m_model)));
    }
    void pasted_equalContent_isOneFile_andGoesWithItsLastHolder() {
        auto first = pastedLinear(), second = pastedLinear();
        QCOMPARE(first->path(), second->path());
        QCOMPARE(files(pasted()).size(), 1);
        first.reset();
        removePastedFiles(pasted(), at("journals"));
        QCOMPARE(files(pasted()).size(), 1);
        second.reset();
        removePastedFiles(pasted(), at("journals"));
        QVERIFY(files(pasted()).isEmpty());
    }
    void pasted_namedByAJournal_staysUntilThatIsGone() {
        auto file = pastedLinear();
        const History history = edited(file->path());
        {
            Journal journal(at("journals"), ModelIdentity::of(m_model));
            journal.edited(history);
        } // as a crash leaves it
        file.reset();
        removePastedFiles(pasted(), at("journals"));
        QCOMPARE(files(pasted()).size(), 1);
        const auto orphans = orphanedJournals(at("journals"));
        QCOMPARE(orphans.size(), 1u);
        // The journal has a copy as well.
        QVERIFY(QDir(QString::fromStdString(pasted())).removeRecursively());
        const RecoveredModel recovered = recover(*orphans[0]);
        QCOMPARE(graphText(recovered.history.model()->graph), graphText(history.model()->graph));
        orphans[0]->discard();
    }
    void recipe_onAnotherMachine_findsItsFiles() {
        auto file = pastedLinear();
        const History history = edited(file->path());
        writeRecipe(at("net_recipe.json"), history.entries()[1].steps);
        QDir dir(m_dir->path());
        QVERIFY(dir.mkpath(QStringLiteral("there")));
        QVERIFY(dir.rename(QStringLiteral("net_recipe.json"), QStringLiteral("there/net_recipe.json")));
        QVERIFY(dir.rename(QStringLiteral("net_recipe.files"), QStringLiteral("there/net_recipe.files")));
        file.reset();
        removePastedFiles(pasted(), at("journals"));
        GraphModule model = *openModel(m_model);
        applySteps(model, readRecipe(at("there/net_recipe.json")));
        QCOMPARE(graphText(model.graph), graphText(history.model()->graph));
        QVERIFY(resolvePath(*model.root, "linear_1.weight").tensor);
    }
    void recipe_namedWithoutItsFolder_findsItsFiles() {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_dir->path()));
        const std::string found = fileBeside("recipe.json", "own.py");
        QVERIFY(QDir::setCurrent(before));
        QCOMPARE(found, at("own.py"));
    }
    void script_readsWhatLiesBesideIt() {
        const StepList steps = StepList().setTensor("linear.weight", m_model);
        const FilePaths carried = carryFiles(steps, at("net_edit.py"));
        QCOMPARE(carried.size(), 1u);
        QCOMPARE(carried[0].second, std::string("net_edit.files/simple_net.pt"));
        QVERIFY(QFile::exists(m_dir->filePath(QStringLiteral("net_edit.files/simple_net.pt"))));
    }
    void project_carriesItsFiles_alsoWhenItIsSavedAgain() {
        auto file = pastedLinear();
        const History history = edited(file->path());
        saveProject(projectOf(history), *history.model(), at("net.lancet"), true);
        file.reset();
        QVERIFY(QDir(QString::fromStdString(pasted())).removeRecursively());
        QVERIFY(QFile::rename(QString::fromStdString(at("net.lancet")), QString::fromStdString(at("moved.lancet"))));
        for (const char* name : {"moved.lancet", "again.lancet"}) {
            const History reopened = historyOf(openModel(at(name)));
            QCOMPARE(reopened.entries().size(), 2u);
            QCOMPARE(graphText(reopened.model()->graph), graphText(history.model()->graph));
            const auto weight = resolvePath(*reopened.model()->root, "linear_1.weight").tensor;
            QVERIFY(weight);
            std::vector<std::byte> bytes(static_cast<std::size_t>(weight->byteCount()));
            weight->storage->read(0, bytes);
            // A recipe takes it out again.
            writeRecipe(at("out.json"), reopened.entries()[1].steps);
            GraphModule model = *openModel(m_model);
            applySteps(model, readRecipe(at("out.json")));
            QCOMPARE(graphText(model.graph), graphText(history.model()->graph));
            saveProject(projectOf(reopened), *reopened.model(), at("again.lancet"), true);
        }
        QVERIFY(QFile::remove(QString::fromStdString(at("moved.lancet"))));
        QCOMPARE(historyOf(openModel(at("again.lancet"))).entries().size(), 2u);
    }
    /// A project, recipe or journal from elsewhere must not bring files of this computer into the model.
    void filesOutside_areNotRead() {
        const auto file = pastedLinear();
        const History history = edited(file->path());
        QDir(m_dir->path()).mkpath(QStringLiteral("apart"));
        const StepList steps =
            inserting("../pasted/" + std::filesystem::path(file->path()).filename().string(), *history.model());
        for (std::string each : {history.entries()[1].steps.text(), steps.text()}) {
            for (const bool isSpelled : {false, true}) {
                if (isSpelled) each.replace(each.find("\"file\""), 6, "\"fil\\u0065\"");
                QFile recipe(m_dir->filePath(QStringLiteral("apart/recipe.json")));
                QVERIFY(recipe.open(QIODevice::WriteOnly));
                recipe.write(("{\"lancet_recipe\": 1, \"steps\": " + each + "}").c_str());
                recipe.close();
                const Error error = failure([&] { (void)readRecipe(at("apart/recipe.json")); });
                QCOMPARE(error.message().code(), std::string("edit.file_not_beside"));
            }
        }
        saveProject(projectOf(history), *history.model(), at("net.lancet"), true);
        const ZipArchive written = ZipArchive::open(DataFile::open(at("net.lancet")));
        ReplacedFile changed(at("foreign.lancet"));
        ZipWriter zip([&](std::string_view part) { changed.write(part); });
        for (const ZipMember& member : written.members()) {
            const auto content = written.storage(member);
            if (member.name == "edits/1.json") zip.add(member.name, history.entries()[1].steps.text());
            else zip.add(member.name, *content, content->byteCount());
        }
        zip.finish();
        changed.commit();
        const Error error = failure([&] { (void)openModel(at("foreign.lancet")); });
        QCOMPARE(error.message().code(), std::string("project.no_part"));
    }
    void links_outOfTheFolderOfARecipe_areNotFollowed() {
        QVERIFY(QDir(m_dir->path()).mkpath(QStringLiteral("there/in")));
        QVERIFY(QFile::link(QString::fromStdString(m_model), m_dir->filePath(QStringLiteral("there/link.pt"))));
        QVERIFY(QFile::copy(QString::fromStdString(m_model), m_dir->filePath(QStringLiteral("there/in/own.pt"))));
        QVERIFY_THROWS_EXCEPTION(Error, (void)fileBeside(at("there/r.json"), "link.pt"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)fileBeside(at("there/r.json"), "in/../../simple_net.pt"));
        QVERIFY_THROWS_EXCEPTION(Error, (void)sourceBeside(at("there/r.json"), "/etc/passwd:Name"));
        QVERIFY(fileBeside(at("there/r.json"), "in/own.pt").ends_with("/there/in/own.pt"));
        QVERIFY(fileBeside(at("there/r.json"), at("there/in/own.pt")).ends_with("/there/in/own.pt"));
        QVERIFY(sourceBeside(at("there/r.json"), "p.py:Name").ends_with("/there/p.py:Name"));
    }
    void pipeline_isWrittenIntoItsOwnFolderOnly() {
        GraphModule model = *openModel(m_model);
        const SplitAssignment stages = splitIntoStages(model, 2, StageBalance::Nodes);
        QVERIFY(QDir(m_dir->path()).mkpath(QStringLiteral("pipe"))); // an empty folder is taken
        for (int i = 0; i < 2; ++i) QCOMPARE(savePipeline(model, stages, at("pipe"), true).size(), 4u);
        QCOMPARE(files(at("pipe")).size(), 4);
        QVERIFY(QFile::link(m_dir->filePath(QStringLiteral("pipe")), m_dir->filePath(QStringLiteral("link"))));
        QCOMPARE(failure([&] { savePipeline(model, stages, at("link"), true); }).message().code(),
                 std::string("folder.link"));
        QVERIFY(QFile::copy(QString::fromStdString(m_model), m_dir->filePath(QStringLiteral("pipe/mine.txt"))));
        QCOMPARE(failure([&] { savePipeline(model, stages, at("pipe"), true); }).message().code(),
                 std::string("folder.would_lose"));
        QVERIFY(QFile::exists(m_dir->filePath(QStringLiteral("pipe/mine.txt"))));
    }
    void project_withAFileThatIsGone_isRefused() {
        const auto file = pastedLinear();
        const History history = edited(file->path());
        QVERIFY(QFile::remove(QString::fromStdString(file->path())));
        const Error error = failure([&] { saveProject(projectOf(history), *history.model(), at("net.lancet"), true); });
        QCOMPARE(error.message().code(), std::string("project.missing_step_file"));
        QVERIFY(!QFile::exists(QString::fromStdString(at("net.lancet"))));
    }
};

QTEST_GUILESS_MAIN(TestCarriedFiles)
#include "tst_carried_files.moc"

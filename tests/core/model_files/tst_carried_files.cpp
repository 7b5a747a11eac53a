// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/extract.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/ir/print.h"
#include "core/model_files/journal/journal.h"
#include "core/model_files/journal/pasted_files.h"
#include "core/model_files/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_project.h"
#include "tests/failure.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

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
    static std::string inserting(const std::string& file, const GraphModule& model) {
        const Node& linear = model.graph.node(model.graph.find("linear"));
        const std::string input = model.graph.node(linear.inputs().front()).name();
        return "[{\"step\": \"insert_model\", \"file\": \"" + file + "\", \"after\": \"linear\", \"inputs\": {\"" +
               input + "\": {\"node\": \"" + input + "\"}}}]";
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
        applySteps(model, Recipe::read(at("there/net_recipe.json")).steps());
        QCOMPARE(graphText(model.graph), graphText(history.model()->graph));
        QVERIFY(resolvePath(*model.root, "linear_1.weight").tensor);
    }
    void script_readsWhatLiesBesideIt() {
        const std::string steps = "[{\"step\": \"set_tensor\", \"path\": \"linear.weight\", \"file\": \"" + m_model +
                                  "\", \"key\": \"linear.weight\"}]";
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
            applySteps(model, Recipe::read(at("out.json")).steps());
            QCOMPARE(graphText(model.graph), graphText(history.model()->graph));
            saveProject(projectOf(reopened), *reopened.model(), at("again.lancet"), true);
        }
        QVERIFY(QFile::remove(QString::fromStdString(at("moved.lancet"))));
        QCOMPARE(historyOf(openModel(at("again.lancet"))).entries().size(), 2u);
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

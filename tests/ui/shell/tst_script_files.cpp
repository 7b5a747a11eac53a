// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/input_guess.h"
#include "core/model_files/open.h"
#include "core/remote/save_script.h"
#include "core/remote/script_message.h"
#include "core/remote/worker_client.h"
#include "tests/json_steps.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// TorchScript in the window, with the real worker.
class TestScriptFiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    Document* open(const char* sample) {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/torchscript/") + QLatin1String(sample));
        Document* document = m_window->currentDocument();
        const auto ready = [&] { return document->state() == Document::State::Ready && document->facts().info(); };
        return QTest::qWaitFor(ready, 30'000) ? document : nullptr;
    }
    static std::shared_ptr<fx::GraphModule> opened(const QString& path) {
        fx::OpenOptions options;
        options.readers.script = fx::remote::scriptsByWorker();
        return fx::openModel(path.toStdString(), options);
    }
    static bool hasModules(const fx::GraphModule& module) {
        for (const fx::Node& node : module.graph.nodes())
            if (node.op() == fx::Op::CallModule) return true;
        return false;
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_STATE_HOME", m_folder.path().toUtf8());
        // Saving looks for the worker beside the program, and then on PATH.
        qputenv("PATH", QFileInfo(QStringLiteral(LANCET_WORKER)).path().toUtf8() + ':' + qgetenv("PATH"));
    }
    void init() {
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void problems_nameWhatCannotBeEdited() {
        Document* document = open("small.ts");
        QVERIFY(document);
        QStringList problems;
        for (const Problem& problem : document->facts().problems()) problems << problem.what;
        QVERIFY2(
            problems.join(u' ').contains(QStringLiteral("2 parts with control flow on values are kept as TorchScript")),
            qPrintable(problems.join(u'\n')));
    }

    void notes_tellWhatWasRecognised_andAreNoProblems() {
        Document* document = open("traced.ts");
        QVERIFY(document);
        QStringList notes;
        for (const Problem& problem : document->facts().problems())
            if (problem.severity == Problem::Severity::Note) notes << problem.what;
        QCOMPARE(notes.size(), 1);
        QVERIFY2(notes[0].endsWith(QStringLiteral("modules of torch.nn were recognised from their code")),
                 qPrintable(notes[0]));
        QCOMPARE(problemCount(document->facts().problems()),
                 static_cast<qsizetype>(document->facts().problems().size()) - 1);
    }

    /// The layers that tell what the input is are no longer the first: the model has run with what they told.
    void editedModel_isComparedWithTheInputsThatItHasRunWith() {
        const QString path = file("padded.ts");
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        Document* document = m_window->currentDocument();
        QTRY_VERIFY(document->state() == Document::State::Ready && document->shapes().notes());
        QVERIFY(document->versions().edit(QStringLiteral("Pad"),
                                          R"([{"step": "insert_after", "node": "x", "op": "call_function", "target":
                                    "torch.nn.functional.pad", "args": [{"node": "x"}, [1, 1, 1, 1]],
                                    "rewire_users": true}])"_steps));
        QTRY_VERIFY_WITH_TIMEOUT(
            document->shapes().notes() && document->shapes().notes()->version == document->module(), 60'000);
        QVERIFY(fx::guessInputs(*document->module()).front().sureness == fx::InputGuess::Sureness::Unknown);
        QStringList told;
        connect(m_window->statusBar(), &QStatusBar::messageChanged, this, [&](const QString& text) { told << text; });
        m_window->saveTo(path);
        QTRY_VERIFY2_WITH_TIMEOUT(told.join(u' ').contains(QStringLiteral("compared it with the model")),
                                  qPrintable(told.join(u'\n')), 60'000);
        m_window->statusBar()->disconnect(this);
        QVERIFY(QFile::exists(path));
    }

    void block_opensAsItsGraph_andHasNoPencil() {
        Document* document = open("small.ts");
        QVERIFY(document);
        const fx::Graph& graph = document->module()->graph;
        for (const fx::Node& node : graph.nodes())
            if (node.op() == fx::Op::CallModule && node.target() == "if_block")
                document->selection().select({node.id()}, nullptr);
        const auto* inspector = m_window->findChild<InspectorPanel*>();
        QVERIFY(inspector);
        QVERIFY(inspector->toPlainText().contains(QStringLiteral("prim::If(")));
        QVERIFY(!inspector->toHtml().contains(QStringLiteral("edit:setting")));
        const QString parent = document->file().title();
        QTRY_VERIFY(m_window->actions().openNested->isEnabled());
        m_window->actions().openNested->trigger();
        QTRY_COMPARE(m_window->currentDocument()->file().title(), parent + QStringLiteral(" › if_block"));
        Document& block = *m_window->currentDocument();
        QCOMPARE(block.module()->subgraphs.size(), std::size_t{2});
        QObject::disconnect(&block.versions(), &DocumentVersions::refused, nullptr,
                            nullptr); // it would be told in a box
        const QSignalSpy refusals(&block.versions(), &DocumentVersions::refused);
        const fx::Node& any = *block.module()->graph.nodes().begin();
        QVERIFY(!block.versions().edit(QStringLiteral("Rename"), fx::StepList().rename(any.name(), "other")));
        QCOMPARE(refusals.size(), 1);
        QVERIFY(!block.versions().history()->canUndo());
    }

    void tabAndTitle_nameTheMethod_whereThereAreSeveral() {
        const auto* tabs = m_window->findChild<QTabWidget*>(QStringLiteral("documents"));
        QVERIFY(open("traced.ts"));
        QCOMPARE(tabs->tabText(0), QStringLiteral("traced.ts"));
        QVERIFY(open("modes.ts"));
        QCOMPARE(tabs->tabText(1), QStringLiteral("modes.ts · forward"));
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("modes.ts · forward")));
        QVERIFY(tabs->tabToolTip(1).contains(QStringLiteral("Graph: forward")));
    }

    void operatorsOnly_isChosenInTheMenu() {
        Document* document = open("traced.ts");
        QVERIFY(document);
        QVERIFY(hasModules(*document->module()));
        QMenu* menu = m_window->actions().modelsMenu;
        QVERIFY(menu->menuAction()->isVisible());
        Q_EMIT menu->aboutToShow();
        QAction* operators = nullptr;
        for (QAction* each : menu->actions())
            if (each->text() == QStringLiteral("forward (operators only)")) operators = each;
        QVERIFY(operators);
        QVERIFY(!operators->isChecked());
        operators->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!hasModules(*document->module()), 30'000);
        QCOMPARE(document->module()->modelName, std::string("forward (operators only)"));
        QCOMPARE(document->file().titleWithGraph(document->module().get()),
                 QStringLiteral("traced.ts · forward (operators only)"));
    }

    void methodsThatSavingReplaced_cannotBeChosen() {
        const QString path = file("over.ts");
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/torchscript/modes.ts"), path));
        m_window->openFile(path);
        Document* document = m_window->currentDocument();
        QTRY_VERIFY_WITH_TIMEOUT(document->state() == Document::State::Ready && document->facts().info(), 30'000);
        const auto isEnabled = [this](const QString& name) {
            QMenu* menu = m_window->actions().modelsMenu;
            Q_EMIT menu->aboutToShow();
            for (const QAction* each : menu->actions())
                if (each->text() == name) return each->isEnabled();
            return false;
        };
        QVERIFY(isEnabled(QStringLiteral("second")));
        fx::remote::WorkerClient worker({});
        const std::string saved = file("saved.ts").toStdString();
        fx::remote::saveScript(worker, opened(path + QStringLiteral("#second")), saved, {}, false);
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::copy(QString::fromStdString(saved), path));
        document->setSaved(document->module(), path);
        QVERIFY(isEnabled(QStringLiteral("forward")));
        QVERIFY(!isEnabled(QStringLiteral("second")));
    }

    void operatorLibraries_ofTheSettings_areThoseOfTheWorkerThatReadsIt() {
        WorkerSettings settings;
        settings.libraries = QStringLiteral("/nowhere/operators.so");
        m_window->run().worker().setSettings(settings);
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/torchscript/traced.ts"));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->currentDocument()->state(), Document::State::Failed, 30'000);
    }

    void edited_isSavedAsScript_andChecked() {
        Document* document = open("traced.ts");
        QVERIFY(document);
        QVERIFY(document->versions().edit(
            QStringLiteral("Erase"),
            R"([{"step": "insert_after", "node": "net_2", "op": "call_function", "target": "torch.neg",
                 "args": [{"node": "net_2"}], "rewire_users": true}])"_steps));
        const QString path = file("edited.ts");
        m_window->saveTo(path);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(path) && !document->isModified(), 60'000);
        QCOMPARE(document->file().target(), path);
        const auto again = opened(path);
        QCOMPARE(again->format, fx::Format::TorchScript);
        QVERIFY(hasModules(*again));
        const fx::Node& last = again->graph.node(again->graph.prev(again->graph.outputNode()));
        QVERIFY2(last.target().find("neg") != std::string::npos, last.target().c_str());
    }
};

QTEST_MAIN(TestScriptFiles)
#include "tst_script_files.moc"

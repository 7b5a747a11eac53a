// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/edit/recipe.h"
#include "core/ir/print.h"
#include "core/passes/pass_list.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_view.h"
#include "ui/compilation/stage_window.h"
#include "ui/passes/optimise_report.h"
#include "ui/passes/pass_step_text.h"
#include "ui/passes/pass_text_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/passes/step_canvas.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/shell/window/model_actions.h"

#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {
const QByteArray kReluToSigmoid = R"(import torch
from torch import fx, nn


def relu_to_sigmoid(gm: fx.GraphModule) -> fx.GraphModule:
    for node in list(gm.graph.nodes):
        is_module = node.op == "call_module" and isinstance(gm.get_submodule(node.target), nn.ReLU)
        if is_module or node.target is torch.relu:
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.sigmoid, (node.args[0],))
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.recompile()
    return gm
)";
}

/// Passes in the window, with a real worker: run, stepped through, bisected, minimised, undone.
class TestPassWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    PassesPanel& panel() const { return *m_window->findChild<PassesPanel*>(); }
    PassTextPanel& text() const { return *m_window->findChild<PassTextPanel*>(); }
    PassesSession& session() const { return *panel().session(); }
    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    void open(const QString& path) {
        m_window->openFile(path);
        QTRY_VERIFY(m_window->currentDocument() && document().state() == Document::State::Ready &&
                    document().facts().code() && document().picture().scene() && m_window->run().session() &&
                    !m_window->run().session()->guesses().empty());
    }
    void add(const char* name) {
        PassChoice choice;
        choice.name = QLatin1String(name);
        panel().add(std::move(choice));
    }
    void addText(const QByteArray& pass) {
        PassChoice choice;
        choice.file = QStringLiteral("typed.py"), choice.text = pass;
        panel().add(std::move(choice));
    }
    void run() {
        const auto before = session().record();
        QVERIFY2(session().whyNot().isEmpty(), qPrintable(session().whyNot()));
        m_window->actions().runPasses->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy() && session().record() != before, 30000);
    }
    std::size_t version() const { return document().versions().history()->current(); }
    std::size_t count(const char* target) const {
        std::size_t found = 0;
        for (const fx::Node& node : document().module()->graph.nodes()) found += node.target() == target;
        return found;
    }
    void makeWindow() {
        WorkerSettings worker;
        worker.command = QStringLiteral("\"" LANCET_WORKER "\"");
        m_settings->setWorker(worker);
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

private Q_SLOTS:
    /// The refusal stays on the panel until runs are allowed.
    void refusal_goesWhenModelsMayRun() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        m_window.reset(); // and its worker
        makeWindow();
        open(sample("simple_net.pt"));
        m_window->actions().passes->trigger();
        session().optimise(); // which times layers
        QTRY_VERIFY2_WITH_TIMEOUT(session().told().contains(QStringLiteral("no sandbox")), qPrintable(session().told()),
                                  60000);
        m_window->run().worker().allow();
        QTRY_VERIFY(session().told().isEmpty());
        QVERIFY(!session().record() || !session().record()->problem);
    }

    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        makeWindow();
        open(sample("resnet.pt"));
        m_window->actions().passes->trigger();
    }
    void cleanup() { m_window.reset(); }

    void action_showsThePanel() {
        QVERIFY(isInFront(*m_window->findChild<QDockWidget*>(QStringLiteral("passes"))));
        QVERIFY(!panel().runButton()->isEnabled());
        QVERIFY(!panel().runButton()->toolTip().isEmpty());
        add("cse");
        QVERIFY(panel().runButton()->isEnabled());
    }

    void severalPasses_areOneChange() {
        add("remove_dropout");
        add("conv_bn_fuse");
        addText(kReluToSigmoid);
        const auto before = document().module();
        run();
        QVERIFY2(!session().record()->problem, session().record()->problem ? session().record()->problem->what() : "");
        QCOMPARE(version(), 1u);
        QCOMPARE(session().record()->passes.size(), 3u);
        QVERIFY(session().record()->passes[1].rewrites.size() > 3);
        QVERIFY(session().record()->passes[2].rewrites.size() > 3);
        const std::size_t sigmoids = count("torch.sigmoid");
        QCOMPARE(session().record()->passes[2].rewrites.size(), sigmoids);
        // The recorded steps make the same of the model, without any file.
        const auto again = fx::History::edited(*before, document().versions().history()->entries()[1].steps);
        QCOMPARE(again->graph.size(), document().module()->graph.size());
        const std::optional<std::size_t> last = 2;
        QVERIFY(!rowStatus(&session(), last, true).text.startsWith(QLatin1String("earlier")));
        document().versions().undo();
        QCOMPARE(document().module(), before);
        QVERIFY(
            rowStatus(&session(), last, true).text.startsWith(QLatin1String("earlier"))); // no verdict on this model
        document().versions().redo();
        QCOMPARE(count("torch.sigmoid"), sigmoids);
    }

    void arrowKeys_stepThroughPassesAndRewrites() {
        add("conv_bn_fuse");
        addText(kReluToSigmoid);
        run();
        using Place = PassesSession::Place;
        QListWidget* list = panel().list();
        QTest::keyClick(list, Qt::Key_Up);
        QVERIFY(session().place() == (Place{0, 0}));
        QTest::keyClick(list, Qt::Key_Right);
        QTest::keyClick(list, Qt::Key_Right);
        QVERIFY(session().place() == (Place{0, 2}));
        QTRY_VERIFY2(panel().title()->text().startsWith(QLatin1String("Rewrite 2 of ")),
                     qPrintable(panel().title()->text()));
        QTest::keyClick(list, Qt::Key_Down);
        QVERIFY(session().place() == (Place{1, 0}));
        QTest::keyClick(list, Qt::Key_Left);
        QVERIFY(session().place()->pass == 1);
        QVERIFY(session().place()->rewrite > 3);
        QTRY_VERIFY(!panel().title()->text().isEmpty());
        QTRY_VERIFY(reinterpret_cast<CodeView*>(panel().difference())->text().contains(QLatin1String("torch.sigmoid")));
    }

    void step_isShownOverTheCanvas_andLeft() {
        addText(kReluToSigmoid);
        run();
        QTest::keyClick(panel().list(), Qt::Key_Right);
        const GraphCanvas& canvas = m_window->currentPage()->canvas();
        const auto press = [&](const QString& text) {
            for (QToolButton* button : m_window->findChildren<QToolButton*>())
                if (button->text() == text) return button->click();
        };
        for (const char* way : {"Esc", "Back to Model", "Undo"}) {
            press(QStringLiteral("Show on Canvas"));
            QTRY_VERIFY(StepCanvas::on(canvas) && StepCanvas::on(canvas)->canvas()->scene().itemCount() > 0);
            QCOMPARE(version(), 1u);
            if (way == QLatin1String("Esc")) QTest::keyClick(panel().list(), Qt::Key_Escape);
            else if (way == QLatin1String("Undo")) m_window->actions().undo->trigger();
            else press(QLatin1String(way));
            QTRY_VERIFY2(!StepCanvas::on(canvas), way);
        }
    }

    void numbers_areComparedAfterEachPass() {
        add("conv_bn_fuse");
        addText(kReluToSigmoid);
        run();
        const auto verdict = [&](std::size_t pass) {
            const auto* known = session().checked(session().record()->passes[pass].whole);
            return known && known->report ? std::optional(known->report->verdict) : std::nullopt;
        };
        QTRY_VERIFY_WITH_TIMEOUT(verdict(0) && verdict(1), 60000);
        QVERIFY(*verdict(0) == fx::Verdict::Close || *verdict(0) == fx::Verdict::Equal);
        QVERIFY(*verdict(1) == fx::Verdict::Different);
        fx::Tolerances loose;
        loose.types.emplace_back("torch.float32", fx::Tolerance{1, 1});
        m_window->run().session()->setTolerances(loose);
        QVERIFY(!verdict(0));
        QVERIFY(!verdict(1)); // those were of other tolerances
        QTRY_VERIFY_WITH_TIMEOUT(verdict(0) && verdict(1), 60000);
    }

    void told_ofAnotherVersion_isNotSaidAnyMore() {
        add("dead_code");
        run();
        QCOMPARE(session().told(), QStringLiteral("The passes found nothing to do."));
        const std::string first = document().module()->graph.node(document().module()->graph.order()[1]).name();
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), fx::StepList().rename(first, "renamed")));
        QVERIFY2(session().told().isEmpty(), qPrintable(session().told()));
    }

    void bisection_findsPassAndRewrite() {
        add("conv_bn_fuse");
        addText(kReluToSigmoid);
        m_window->actions().findBadRewrite->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(session().isBusy(), 1000);
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), 120000);
        QVERIFY2(session().bisection(), qPrintable(session().told()));
        QCOMPARE(session().bisection()->index, 1u);
        QVERIFY(session().bisection()->rewrite);
        QCOMPARE(session().bisection()->rewrite->number, 1u);
        QCOMPARE(version(), 0u);
    }

    void minimising_opensASmallModelThatFails() {
        addText(kReluToSigmoid);
        auto* tabs = m_window->findChild<QTabWidget*>(QStringLiteral("documents"));
        const std::size_t nodes = document().module()->graph.size();
        m_window->actions().minimise->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(tabs->count(), 2, 120000);
        QVERIFY2(document().module()->graph.size() <= 4,
                 qPrintable(QString::number(document().module()->graph.size())));
        QVERIFY2(nodes > 20, qPrintable(QString::number(document().module()->graph.size())));
    }

    void selection_isAllThatChanges() {
        addText(kReluToSigmoid);
        std::vector<fx::NodeId> relus;
        for (const fx::Node& node : document().module()->graph.nodes())
            if (node.name().find("relu") != std::string::npos) relus.push_back(node.id());
        QVERIFY(relus.size() > 2);
        document().selection().select({relus[1]}, nullptr);
        text().edit(session().choices().passes.front());
        session().runAlone(session().choices().passes.front(), true);
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy() && session().record(), 30000);
        QCOMPARE(count("torch.sigmoid"), 1u);
    }

    void rows_areMovedAndRemoved() {
        add("cse");
        add("dead_code");
        QTest::keyClick(panel().list(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(panel().list()->item(0)->text(), QStringLiteral("dead_code"));
        QCOMPARE(session().choices().passes.front().name, QStringLiteral("dead_code"));
        panel().list()->item(1)->setCheckState(Qt::Unchecked);
        QVERIFY(!session().choices().passes[1].ticked);
        const std::size_t nodes = document().module()->graph.size();
        QTest::keyClick(panel().list(), Qt::Key_Delete);
        QCOMPARE(panel().list()->count(), 1);
        QCOMPARE(document().module()->graph.size(), nodes); // the key was the list's
    }

    void brokenText_isUnderlined_andChangesNothing() {
        text().editNew(QStringLiteral("one_to_one"));
        QTRY_VERIFY2(text().status()->text().startsWith(QStringLiteral("Fits this model")),
                     qPrintable(text().status()->text()));
        QCOMPARE(panel().list()->count(), 1);
        text().editor()->typeText(
            "import torch\n\ndef f(gm):\n    for node in gm.graph.nodes:\n        node.no_such_thing()\n");
        Q_EMIT text().editor()->typed();
        QTRY_VERIFY2(text().status()->text().startsWith(QStringLiteral("Line 5: ")),
                     qPrintable(text().status()->text()));
        text().runButton()->click();
        QTRY_VERIFY(session().record() && session().record()->problem);
        QCOMPARE(version(), 0u);
        QVERIFY(session().toldBad());
    }

    void text_fileChangedByOthers_isAskedAbout() {
        text().editNew({});
        const QString path = m_folder.filePath(QStringLiteral("others.py"));
        text().saveTo(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write("# by another program\n") > 0);
        file.close();
        text().editor()->typeText("# mine\n");
        Q_EMIT text().editor()->typed();
        QString asked;
        testing::whenOpen<QMessageBox>(m_window.get(),
                                       [&asked](QMessageBox* box) { asked = box->text(), box->reject(); });
        text().saveTo(path);
        QVERIFY2(asked.contains(QStringLiteral("has changed on disk")), qPrintable(asked));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("# by another program\n"));
    }

    void text_fitsAnotherVersion_isNotSaidOfThisOne() {
        text().editNew(QStringLiteral("one_to_one"));
        QTRY_VERIFY2(text().status()->text().startsWith(QStringLiteral("Fits this model")),
                     qPrintable(text().status()->text()));
        const std::string first = document().module()->graph.node(document().module()->graph.order()[1]).name();
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), fx::StepList().rename(first, "renamed")));
        QVERIFY(!text().status()->text().startsWith(QStringLiteral("Fits this model")));
    }

    void typedText_isKeptForTheFile() {
        text().editNew({});
        text().editor()->typeText("def mine(gm):\n    return gm\n");
        Q_EMIT text().editor()->typed();
        QTRY_VERIFY(session().choices().passes.front().text->startsWith("def mine"));
        m_window->endDocuments(); // as if it ended now
        m_window.reset();
        makeWindow();
        open(sample("resnet.pt"));
        QCOMPARE(panel().list()->count(), 1);
        QCOMPARE(*session().choices().passes.front().text, QByteArray("def mine(gm):\n    return gm\n"));
        QTRY_VERIFY(text().pass());
        QVERIFY(text().editor()->bytes().startsWith("def mine"));
        text().saveTo(m_folder.filePath(QStringLiteral("mine.py")));
        QVERIFY(!session().choices().passes.front().text);
        QVERIFY(session().choices().passes.front().file.endsWith(QLatin1String("/mine.py")));
    }

    void pipeline_isSavedAndOpened() {
        add("cse");
        addText(kReluToSigmoid);
        const QString path = m_folder.filePath(QStringLiteral("pipeline.json"));
        panel().savePipeline(path);
        PassChoices before = session().choices();
        before.passes.back().file = m_folder.filePath(before.passes.back().file); // for what it imports
        session().setChoices({});
        panel().openPipeline(path);
        QVERIFY(session().choices() == before);
        QCOMPARE(panel().list()->count(), 2);
    }

    void anotherDocument_hasItsOwnList() {
        add("cse");
        open(sample("simple_net.pt"));
        QCOMPARE(panel().list()->count(), 0);
        m_window->findChild<QTabWidget*>(QStringLiteral("documents"))->setCurrentIndex(0);
        QCOMPARE(panel().list()->count(), 1);
    }

    void eachPass_isInTheMenu_andRunsAlone() {
        add("cse");
        const QList<QAction*> actions = m_window->actions().passMenu->actions();
        for (const fx::Pass& pass : fx::allPasses()) {
            const auto action = std::find_if(actions.begin(), actions.end(),
                                             [&](QAction* each) { return each->text() == fromCore(pass.name); });
            QCOMPARE(action != actions.end(), pass.run != nullptr);
            if (pass.run) QVERIFY(m_window->actions().all().contains(*action)); // so the palette has it
            if (pass.name == "conv_bn_fuse") (*action)->trigger();
        }
        QTRY_VERIFY_WITH_TIMEOUT(version() == 1, 30000);
        QCOMPARE(session().record()->passes.size(), std::size_t(1));
        QCOMPARE(session().record()->passes.front().name, std::string("conv_bn_fuse"));
        QCOMPARE(panel().list()->count(), 1); // the list is as it was
        QVERIFY(isInFront(*m_window->findChild<QDockWidget*>(QStringLiteral("passes"))));
    }

    void computedResult_isKept_soThatRecoveryNeedsNoWorker() {
        const QByteArray constant =
            R"([{"step": "insert_before", "node": "conv1", "op": "get_attr", "target": "conv1.weight", "name": "w"},)"
            R"( {"step": "insert_after", "node": "w", "op": "call_function", "target": "torch.neg",)"
            R"( "args": [{"node": "w"}], "name": "n"},)"
            R"( {"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.add",)"
            R"( "args": [{"node": "relu"}, {"node": "total"}], "name": "sum", "rewire_users": true}])";
        const QByteArray total = R"([{"step": "insert_after", "node": "n", "op": "call_function",)"
                                 R"( "target": "torch.sum", "args": [{"node": "n"}], "name": "total"}])";
        QByteArray steps = constant;
        steps.insert(steps.lastIndexOf("{\"step\": \"insert_after\", \"node\": \"relu\""),
                     total.mid(1, total.size() - 2) + ", ");
        QVERIFY(document().versions().edit(QStringLiteral("Constants"), fx::StepList::parse(steps.toStdString())));
        for (QAction* action : m_window->actions().passMenu->actions())
            if (action->text() == QLatin1String("const_fold")) action->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(version(), 2u, 30000);
        const auto& entry = document().versions().history()->entries()[2];
        const auto again = fx::History::edited(*document().versions().history()->entries()[1].model, entry.steps);
        QCOMPARE(fx::graphText(again->graph), fx::graphText(entry.model->graph));
        QVERIFY(fx::recipeText(*document().versions().history()).find("\"result\"") ==
                std::string::npos); // other weights give other values
    }

    void optimising_reportsEachLayer_andIsOneChange() {
        m_window->actions().optimise->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->findChild<OptimiseReport*>(), 120000);
        auto* report = m_window->findChild<OptimiseReport*>();
        QVERIFY(report->table()->model()->rowCount() > 3);
        QVERIFY(!report->whole()->text().isEmpty());
        for (const int column : {LayerReportModel::Kernel, LayerReportModel::Before, LayerReportModel::After})
            QVERIFY(report->table()->columnWidth(column) >=
                    report->table()->horizontalHeader()->sectionSizeHint(column));
        const bool changed = session().record()->changed();
        QCOMPARE(version(), changed ? 1u : 0u);
        report->reject();
    }

    void heatMapBefore_isAView_thatClosingTheReportLeaves() {
        PassChoice fuseAll; // without measuring, so that something is fused on any machine
        fuseAll.name = QStringLiteral("onednn"), fuseAll.settings = {{QStringLiteral("measure"), false}};
        session().runAlone(fuseAll, false);
        QTRY_COMPARE_WITH_TIMEOUT(version(), 1u, 60000);
        const auto shownReport = [&] {
            Q_EMIT panel().optimised(&document());
            return m_window->findChild<OptimiseReport*>();
        };
        OptimiseReport* report = shownReport();
        report->heatBefore()->click();
        QCOMPARE(version(), 0u);
        report->heatAfter()->click();
        QCOMPARE(version(), 1u);
        report->heatBefore()->click();
        report->reject();
        QCOMPARE(version(), 1u);
        QVERIFY(m_window->actions().undo->isEnabled());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        document()
            .versions()
            .undo(); // somebody is elsewhere when the report opens, and goes elsewhere while it is open
        report = shownReport();
        report->heatAfter()->click();
        report->reject();
        QCOMPARE(version(), 0u);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        document().versions().redo();
        report = shownReport();
        report->heatBefore()->click();
        m_window->actions().trainMode->trigger();
        report->reject();
        QCOMPARE(version(), 1u);
        QVERIFY(document().module()->root->training);
    }

    void refusal_showsTheRemedy_andNoVerdict() {
        m_window->actions().trainMode->trigger();
        add("onednn");
        run();
        QVERIFY(session().record()->problem);
        QVERIFY(session().toldBad());
        QVERIFY2(session().told().contains(QStringLiteral("call eval() on the model")), qPrintable(session().told()));
        const RecordedPass& failed = session().record()->passes.back();
        QVERIFY(!failed.report);
        QVERIFY(stepVerdict(session(), failed.whole).text.isEmpty());
        QVERIFY(testing::settle()); // nothing is compared that could give one
        QVERIFY(!session().checked(failed.whole));
    }

    void modesAndParts_haveTheirActions() {
        m_window->actions().trainMode->trigger();
        QCOMPARE(version(), 1u);
        QVERIFY(document().module()->root->training);
        m_window->actions().evalMode->trigger();
        QVERIFY(!document().module()->root->training);
        std::vector<fx::NodeId> nodes;
        for (const fx::Node& node : document().module()->graph.nodes())
            if (node.op() == fx::Op::CallModule && nodes.size() < 3) nodes.push_back(node.id());
        document().selection().select(nodes, nullptr);
        auto* tabs = m_window->findChild<QTabWidget*>(QStringLiteral("documents"));
        m_window->actions().extract->trigger();
        QTRY_COMPARE(tabs->count(), 2);
        QTRY_VERIFY(document().state() == Document::State::Ready);
        QCOMPARE(document().module()->graph.size(), 5u);
    }

    void comparison_withAFile_opensBoth() {
        m_window->findChild<ModelActions*>()->compareWith(document(), sample("densenet.pt"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->findChild<StageWindow*>(), 20000);
        m_window->findChild<StageWindow*>()->reject();
    }
};

QTEST_MAIN(TestPassWindow)
#include "tst_pass_window.moc"

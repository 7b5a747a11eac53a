// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "tests/json_steps.h"
#include "tests/ui/shell/surgery_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/change_list.h"
#include "ui/changes/changes_panel.h"
#include "ui/changes/compare_window.h"
#include "ui/code/code_field.h"
#include "ui/edit/call_dialog.h"
#include "ui/edit/erase_dialog.h"
#include "ui/history/history_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QLineF>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

using namespace ui;

/// Surgery in the real window: patterns, drags, the history and what is saved.
class TestSurgery : public SurgeryFixture {
    Q_OBJECT

    template<class T> T* panel() const { return m_window->findChild<T*>(); }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void pattern_ofSelection_replacedEverywhereAndUndone() {
        const QString before = code();
        select({"relu"});
        m_window->actions().findPattern->trigger();
        auto* pattern = panel<PatternPanel>();
        QTRY_VERIFY(!pattern->result().matches.empty());
        QVERIFY(pattern->styleOf(node("relu")));
        QVERIFY(!pattern->styleOf(node("flatten")));
        const std::size_t matches = pattern->result().matches.size();
        QByteArray source = pattern->replacement()->source();
        const qsizetype at = source.indexOf("return");
        pattern->replacement()->setSource(source.left(at) + "return torch.sigmoid(" + source.mid(at + 7).trimmed() +
                                          ")");
        QVERIFY(testing::settle());
        for (QPushButton* button : pattern->findChildren<QPushButton*>())
            if (button->text().startsWith(QStringLiteral("Replace All"))) {
                QTRY_VERIFY(button->isEnabled());
                button->click();
            }
        QTRY_COMPARE(static_cast<std::size_t>(code().count(QStringLiteral("torch.sigmoid"))), matches);
        document().versions().undo();
        QTRY_COMPARE(code(), before);
        document().versions().redo();
        QTRY_COMPARE(static_cast<std::size_t>(code().count(QStringLiteral("torch.sigmoid"))), matches);
    }

    void pattern_overlappingMatch_listedWithItsReason() {
        document().versions().edit(
            QStringLiteral("three"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.relu", )"
            R"("args": [{"node": "relu"}], "rewire_users": true, "name": "second"},
            {"step": "insert_after", "node": "second", "op": "call_function", "target": "torch.relu", "args": )"
            R"([{"node": "second"}], "rewire_users": true, "name": "third"},
            {"step": "insert_after", "node": "third", "op": "call_function", "target": "torch.relu", "args": )"
            R"([{"node": "third"}], "rewire_users": true, "name": "fourth"}])"_steps);
        auto* pattern = panel<PatternPanel>();
        pattern->pattern()->setSource("def pattern(x):\n    return torch.relu(torch.relu(x))\n");
        QTRY_VERIFY(!pattern->result().overlapped.empty());
        const std::size_t count = pattern->result().matches.size();
        QListWidget* list = nullptr;
        for (QListWidget* each : pattern->findChildren<QListWidget*>())
            if (each->accessibleName() == QLatin1String("Matches")) list = each; // the editors have lists, too
        QVERIFY(list);
        QCOMPARE(static_cast<std::size_t>(list->count()), count + pattern->result().overlapped.size());
        QListWidgetItem* dropped = list->item(static_cast<int>(count));
        QVERIFY2(dropped->text().contains(QStringLiteral("overlaps match 1 (both use node ")),
                 qPrintable(dropped->text()));
        QVERIFY(!dropped->flags().testFlag(Qt::ItemIsUserCheckable));
        list->setCurrentRow(static_cast<int>(count)); // can be looked at
        QCOMPARE(document().selection().nodes().size(), 2u);

        for (QCheckBox* box : pattern->findChildren<QCheckBox*>())
            if (box->text() == QStringLiteral("Keep overlapping")) box->click();
        QTRY_COMPARE(pattern->result().matches.size(), count + 1);
        QVERIFY(pattern->result().overlapped.empty());
        for (QPushButton* button : pattern->findChildren<QPushButton*>()) {
            QVERIFY(!button->isEnabled());
            QVERIFY2(button->toolTip().contains(QStringLiteral("Keep overlapping")), qPrintable(button->toolTip()));
        }
    }

    void pattern_class_matchesAndReplaces() {
        auto* pattern = panel<PatternPanel>();
        pattern->pattern()->setSource("class Scaled(nn.Module):\n    def forward(self, x, y):\n        return x * y\n");
        pattern->replacement()->setSource("def replacement(x, y):\n    return torch.sub(x, y)\n");
        QTRY_COMPARE(pattern->result().matches.size(), 1u);
        QVERIFY(!pattern->result().replacementError);
        pattern->pattern()->setSource("def pattern(x):\n    return x\n"); // no nodes: nothing to go to
        QVERIFY(testing::settle());
        QVERIFY(pattern->result().matches.empty());
    }

    void pattern_wrongSource_saysWhereAndKeepsIt() {
        auto* pattern = panel<PatternPanel>();
        pattern->pattern()->setSource("def pattern(x):\n    return torch.relu(x");
        QTRY_VERIFY(pattern->result().patternError);
        QVERIFY(pattern->pattern()->source().contains("torch.relu(x"));
        QLabel* status = nullptr;
        for (QLabel* label : pattern->findChildren<QLabel*>())
            if (label->property("role") == QLatin1String("error")) status = label;
        QVERIFY(status);
        QVERIFY(status->wordWrap());
        QVERIFY(status->toolTip().contains(QStringLiteral("line 2")));
        QVERIFY(status->text().contains(QString::fromUtf8(pattern->result().patternError->what())));
        pattern->pattern()->setSource("def pattern(x):\n    return torch.tanh(x)");
        QTRY_VERIFY(!pattern->result().patternError);
        for (QPushButton* button : pattern->findChildren<QPushButton*>()) {
            QVERIFY(!button->isEnabled());
            QVERIFY2(!button->toolTip().isEmpty(), qPrintable(button->text()));
        }
    }

    void pattern_nearMiss_isToldInTheNamesOfUsers() {
        QCOMPARE(inWords("the graph also has _operator.add after torch.nn.modules.batchnorm.BatchNorm2d"),
                 QStringLiteral("the graph also has operator.add after nn.BatchNorm2d"));
        QCOMPARE(inWords("layer1.0.relu calls torch.nn.ReLU, no torch.relu."),
                 QStringLiteral("layer1.0.relu calls nn.ReLU, no torch.relu."));
        QCOMPARE(inWords("conv: 3.5 is not 2."), QStringLiteral("conv: 3.5 is not 2."));
        QCOMPARE(fitInWords(2, 3), QStringLiteral("2 of 3 nodes fit"));
        QCOMPARE(fitInWords(3, 3), QStringLiteral("3 of 3 nodes fit"));
    }

    void history_choosingAnEntry_goesThere() {
        const QString before = code();
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        m_window->renameNode(QStringLiteral("flat"), QStringLiteral("flatter"));
        auto* list = panel<HistoryPanel>()->list();
        QCOMPARE(list->count(), 3);
        document().versions().goTo(0);
        QTRY_COMPARE(code(), before);
        QCOMPARE(list->currentRow(), 0);
        document().versions().goTo(2);
        QTRY_VERIFY(code().contains(QStringLiteral("flatter = ")));
        QVERIFY(fx::recipeText(*document().versions().history()).starts_with("{\"lancet_recipe\": 1"));
    }

    void compare_afterAnEdit_showsBothSides() {
        auto* changes = panel<ChangesPanel>();
        changes->parentWidget()->hide();
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        QVERIFY(!changes->difference()); // nobody looks at it
        changes->parentWidget()->show();
        static_cast<QDockWidget*>(changes->parentWidget())->raise();
        QTRY_VERIFY(changes->difference() && !changes->difference()->isEmpty());
        QCOMPARE(changes->difference()->effect.changed.size(), 1u);
        // The list leads to the node, on both sides of the window that compares, too.
        QTRY_COMPARE(changes->list()->changes()->nodeAt(0), node("flat"));
        document().selection().select({}, nullptr);
        const QRect row = changes->list()->visualRect(changes->list()->changes()->index(0, ChangeModel::Name));
        QTest::mouseClick(changes->list()->viewport(), Qt::LeftButton, {}, row.center());
        QTRY_COMPARE(document().selection().nodes(), std::vector<fx::NodeId>{node("flat")});
        inDialog<CompareWindow>(m_window->actions().compare, [&](CompareWindow& window) {
            QTRY_VERIFY(window.canvas(0)->scene().itemCount() > 0 && window.canvas(1)->scene().itemCount() > 0);
            window.canvas(0)->setCamera(window.canvas(0)->camera());
            window.canvas(0)->zoomIn();
            QTRY_COMPARE(window.canvas(1)->zoom(), window.canvas(0)->zoom());
            Q_EMIT window.list()->chosen(window.list()->changes()->nodeAt(0));
            QTRY_COMPARE(window.canvas(0)->selection(), std::vector<fx::NodeId>{node("flat")});
            QVERIFY(window.list()->height() >= 150);
            window.close();
        });
    }

    void drag_fromNodeToNode_rewires() {
        GraphCanvas& canvas = *m_window->findChild<GraphCanvas*>();
        testing::whenOpen<QMenu>(m_window.get(), [](QMenu* menu) {
            QCOMPARE(menu->actions().front()->text(), QStringLiteral("Replace max_pool2d with mul in flatten"));
            QTest::keyClick(menu, Qt::Key_Down);
            QTest::keyClick(menu, Qt::Key_Return);
        });
        Q_EMIT canvas.connectRequested(QPoint(100, 100), node("mul"), node("flatten"));
        QTRY_VERIFY(code().contains(QStringLiteral("flatten = mul.flatten(1)")));
        // Against the order: refused in words, and nothing changes.
        const QString before = code();
        QString told;
        testing::whenOpen<QMenu>(m_window.get(), [this, &told](QMenu* menu) {
            testing::whenOpen<QMessageBox>(m_window.get(), [&told](QMessageBox* box) {
                told = box->text();
                box->accept();
            });
            QTest::keyClick(menu, Qt::Key_Down);
            QTest::keyClick(menu, Qt::Key_Return);
        });
        Q_EMIT canvas.connectRequested(QPoint(100, 100), node("linear"), node("mul"));
        QTRY_VERIFY(!told.isEmpty());
        QCOMPARE(code(), before);
    }

    void edge_insertBetween_onlyThatUser() {
        CallDialog dialog(document(), {node("relu")}, CallDialog::Task::InsertAfter, m_window.get());
        dialog.setOnlyUser(node("mul"));
        dialog.choose({fx::Op::CallFunction, QStringLiteral("torch.tanh"), {}});
        QVERIFY(document().versions().edit(dialog.name(), dialog.steps()));
        QTRY_VERIFY(code().contains(QStringLiteral("mul = tanh * scale")));
    }

    void copyAndPaste_modulesAndWeightsComeAlong() {
        select({"conv", "relu"});
        m_window->actions().copyNames->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("conv\nrelu"));
        select({"max_pool2d"});
        QVERIFY(m_window->actions().paste->isEnabled());
        m_window->actions().paste->trigger();
        QTRY_VERIFY(code().contains(QStringLiteral("relu_1 = self.relu_1(conv_1)")));
        QVERIFY(code().contains(QStringLiteral("conv_1 = self.conv_1(max_pool2d)")));
        const auto& root = *document().module()->root;
        const auto copied = fx::resolvePath(root, "conv_1.weight").tensor,
                   original = fx::resolvePath(root, "conv.weight").tensor;
        QVERIFY(copied);
        QVERIFY(copied != original);
        QCOMPARE(copied->sizes, original->sizes);
        document().versions().undo();
        QTRY_VERIFY(!code().contains(QStringLiteral("conv_1")));
        QVERIFY(!fx::resolvePath(*document().module()->root, "conv_1").module);
    }

    void save_editedModel_readsBack() {
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        const QString path = m_folder.filePath(QStringLiteral("edited.pt"));
        QVERIFY(document().isModified());
        m_window->saveTo(path);
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = panel<SaveSheet>()));
        const QString text = textOf(*sheet);
        QVERIFY2(text.contains(QStringLiteral("flat becomes flatten")), qPrintable(text));
        QVERIFY(!QFile::exists(path));
        Q_EMIT sheet->nodeRequested(QStringLiteral("flat"));
        QCOMPARE(document().selection().nodes(), std::vector{node("flat")});
        sheet->saveAnyway()->click();
        QTRY_VERIFY(!document().isModified());
        QVERIFY(fx::openModel(path.toStdString(), {}, {})->graph.size() == document().module()->graph.size());
    }
    void save_namesAlone_needNotBeWarnedAboutAgain() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        auto& tabs = *m_window->findChild<QTabWidget*>(QStringLiteral("documents"));
        tabs.setCurrentIndex(0);
        QAction* warns = m_window->actions().warnNames;
        QVERIFY(warns->isChecked());
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        m_window->saveTo(m_folder.filePath(QStringLiteral("names.pt")));
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = panel<SaveSheet>()));
        QVERIFY(sheet->silence());
        sheet->silence()->click();
        sheet->saveAnyway()->click();
        QTRY_VERIFY(!document().isModified());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        m_window->renameNode(QStringLiteral("flat"), QStringLiteral("flatter"));
        QVERIFY(!warns->isChecked());
        m_window->saveTo(m_folder.filePath(QStringLiteral("names.pt")));
        QTRY_VERIFY(!document().isModified()); // without asking
        QVERIFY(!panel<SaveSheet>());
        tabs.setCurrentIndex(1);
        QVERIFY(warns->isChecked()); // another document
        tabs.setCurrentIndex(0);
        QVERIFY(!warns->isChecked());
        warns->trigger();
        m_window->renameNode(QStringLiteral("flatter"), QStringLiteral("flattest"));
        m_window->saveTo(m_folder.filePath(QStringLiteral("names.pt")));
        QTRY_VERIFY((sheet = panel<SaveSheet>()));
        sheet->reject();
    }

    /// What is looked at stays where it is on the screen, when something is inserted and when that is undone.
    void undo_keepsTheCamera() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
        document().picture().expandAll();
        QTRY_VERIFY(!document().picture().busy());
        GraphCanvas& canvas = m_window->currentPage()->canvas();
        const std::vector<fx::NodeId> order = document().module()->graph.order();
        const fx::NodeId middle = order[order.size() / 2];
        document().selection().goTo(middle, nullptr);
        QTRY_VERIFY(!canvas.nodeRect(middle).isEmpty());
        QVERIFY(testing::settle()); // gliding there
        const double zoom = canvas.zoom();
        const QPointF before = canvas.nodeRect(middle).topLeft();
        const std::string name = document().module()->graph.node(middle).name();
        fx::StepList steps;
        const std::vector<fx::Argument> args{middle};
        steps.insertAfter(name, {fx::Op::CallFunction, "torch.tanh", {}, true, {}},
                          {document().module()->graph, args, {}});
        QVERIFY(document().versions().edit(QStringLiteral("Insert"), steps));
        document().selection().select({document().module()->graph.find("tanh")}, nullptr);
        QTRY_VERIFY(!document().picture().busy());
        QVERIFY(testing::settle());
        document().versions().undo();
        QTRY_VERIFY(!document().picture().busy());
        QVERIFY(testing::settle());
        QCOMPARE(canvas.zoom(), zoom);
        QPointF after = canvas.nodeRect(middle).topLeft();
        QVERIFY2(QLineF(before, after).length() < 2,
                 qPrintable(
                     QStringLiteral("%1 %2, was %3 %4").arg(after.x()).arg(after.y()).arg(before.x()).arg(before.y())));
        // What is looked at goes and comes back, with everything around it.
        document().selection().select({middle}, nullptr);
        m_window->actions().eraseNodes->trigger();
        if (auto* dialog = m_window->findChild<EraseDialog*>()) dialog->accept();
        QTRY_COMPARE(document().module()->graph.find(name), fx::kNoNode);
        QVERIFY(testing::settle());
        document().versions().undo();
        QTRY_VERIFY(!document().picture().busy());
        QVERIFY(testing::settle());
        QCOMPARE(canvas.zoom(), zoom);
        after = canvas.nodeRect(middle).topLeft();
        QVERIFY2(QLineF(before, after).length() < 2,
                 qPrintable(
                     QStringLiteral("%1 %2, was %3 %4").arg(after.x()).arg(after.y()).arg(before.x()).arg(before.y())));
    }

    void save_whatPyTorchCannotLoad_isToldFirst() {
        QVERIFY(document().versions().edit(
            QStringLiteral("assign"), R"J([{"step": "insert_after", "node": "relu", "op": "call_function", "target": )J"
                                      R"J("operator.setitem", "args": [{"node": "relu"}, 0, 1]}])J"_steps));
        m_window->saveTo(m_folder.filePath(QStringLiteral("assigned.pt")));
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = panel<SaveSheet>()));
        QVERIFY2(textOf(*sheet).contains(QStringLiteral("torch.index_put")), qPrintable(textOf(*sheet)));
        document().versions().undo(); // it was about another version
        QTRY_VERIFY(!panel<SaveSheet>());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("assigned.pt"))));
        m_window->saveTo(m_folder.filePath(QStringLiteral("net.pt2")));
        QTRY_VERIFY((sheet = panel<SaveSheet>()));
        QVERIFY(!sheet->saveAnyway());
    }

    void project_opensWithItsHistoryAndView() {
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        m_window->renameNode(QStringLiteral("flat"), QStringLiteral("flatter"));
        m_window->renameNode(QStringLiteral("mul"), QStringLiteral("scaled"));
        document().versions().undo();
        select({"relu", "flatter"});
        document().picture().setDirection(fx::Direction::LeftRight);
        QTRY_VERIFY(!document().picture().busy());
        auto* canvas = m_window->findChild<GraphCanvas*>();
        canvas->setCamera({QPointF(20, 30), 0.75});
        const fx::Point centre = canvas->visibleArea().center();
        const QString path = m_folder.filePath(QStringLiteral("whole.lancet"));
        m_window->saveTo(path);
        QTRY_VERIFY(!document().isModified());
        const QString saved = code();
        m_window->actions().closeTab->trigger();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        m_window->openFile(path);
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
        QCOMPARE(document().file().opened(), path);
        QCOMPARE(document().versions().history()->entries().size(), 4u);
        QCOMPARE(document().versions().history()->current(), 2u);
        QVERIFY(!document().isModified());
        QCOMPARE(code(), saved);
        QCOMPARE(document().selection().nodes(), (std::vector{node("relu"), node("flatter")}));
        QCOMPARE(document().picture().direction(), fx::Direction::LeftRight);
        const auto canvases = m_window->findChildren<GraphCanvas*>();
        QTRY_COMPARE(canvases.back()->zoom(), 0.75);
        const fx::Point now = canvases.back()->visibleArea().center();
        QVERIFY2(std::hypot(now.x - centre.x, now.y - centre.y) < 2,
                 qPrintable(QStringLiteral("%1 %2, was %3 %4").arg(now.x).arg(now.y).arg(centre.x).arg(centre.y)));
        document().versions().undo();
        QVERIFY(node("flat") != fx::kNoNode);
        document().versions().redo();
        document().versions().redo();
        QVERIFY(node("scaled") != fx::kNoNode);
        m_window->actions().save->trigger(); // where it came from, without asking
        QTRY_VERIFY(!document().isModified());
        QCOMPARE(fx::historyOf(fx::openModel(path.toStdString())).current(), 3u);
    }
};

QTEST_MAIN(TestSurgery)
#include "tst_surgery.moc"

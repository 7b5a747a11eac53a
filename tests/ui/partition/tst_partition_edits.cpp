// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/partition/partition_fixture.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/partition/carried_hand.h"
#include "ui/partition/move_dialog.h"
#include "ui/partition/partition_panel.h"
#include "ui/partition/partition_table_model.h"
#include "ui/partition/why_view.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QTest>
#include <QTimer>
#include <QToolButton>

using namespace ui;

/// Moving nodes between partitions, fusing and undoing.
class TestPartitionEdits : public PartitionFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void moveTo_reachesEveryPartition_bySearch() {
        m_window->openModule(testing::chain(200), QStringLiteral("chain"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        m_window->actions().partition->trigger();
        QTRY_VERIFY(tree().model()->rowCount() > 0);
        tick(QStringLiteral("torch.relu"));
        panel().setFlags(1);
        QTRY_VERIFY(count() > 50);
        const fx::NodeId free = document().module()->graph.find("blocks_40_linear");
        const fx::NodeId there = document().module()->graph.find("relu_40");
        QVERIFY(free != fx::kNoNode);
        QVERIFY(there != fx::kNoNode);
        const int wanted = panel().outcome().partition(there);
        document().selection().select({free}, nullptr);
        QMenu menu;
        panel().addTo(menu);
        QAction* any = nullptr;
        for (QAction* each : menu.actions())
            if (each->text() == QStringLiteral("Move to Partition…")) any = each;
        QVERIFY(any);
        QVERIFY(any->isEnabled());
        QVERIFY(menu.actions().size() < 20);
        QTimer::singleShot(0, qApp, [&] {
            auto* const dialog = qobject_cast<MoveDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            QCOMPARE(dialog->findChild<QListView*>()->model()->rowCount(), static_cast<int>(count()));
            QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("no such node"));
            QCOMPARE(dialog->partition(), -1);
            dialog->findChild<QLineEdit*>()->clear();
            QTest::keyClicks(dialog->findChild<QLineEdit*>(), QString::number(wanted)); // also part of names
            QCOMPARE(dialog->partition(), wanted);
            dialog->findChild<QLineEdit*>()->clear();
            QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("relu_40"));
            QCOMPARE(dialog->partition(), wanted);
            QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        });
        any->trigger();
        QTRY_COMPARE(panel().outcome().partition(free), panel().outcome().partition(there));
    }

    void whatIf_goesWithTheVersionThatItIsAbout() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        tree().setCurrentIndex(row(QStringLiteral("Conv2d")));
        QTRY_VERIFY(shows(QStringLiteral("If Conv2d were not supported")));
        QVERIFY(document().versions().edit(QStringLiteral("Rename"),
                                           R"([{"step": "rename", "node": "conv", "name": "other"}])"_steps));
        QTRY_VERIFY(!shows(QStringLiteral("If Conv2d were not supported")));
    }

    void editWhileHidden_listsItsOperators_andCarriesMarks() {
        makeTwo();
        const auto lists = [&](const char* name) {
            const std::vector<MetOperator> listed = operatorsOf(*document().module());
            return std::any_of(listed.begin(), listed.end(), [&](const MetOperator& op) {
                return op.title().contains(QLatin1String(name)) && row(op.title()).isValid();
            });
        };
        QVERIFY(lists("max_pool2d"));
        QDockWidget& dock = *m_window->findChild<QDockWidget*>(QStringLiteral("partition"));
        dock.hide();
        QTRY_VERIFY(!panel().isSeen());
        QVERIFY(document().versions().edit(
            QStringLiteral("Another pool"),
            R"J([{"step": "insert_after", "node": "max_pool2d", "op": "call_function", "target": )J"
            R"J("torch.nn.functional.avg_pool2d", "args": [{"node": "max_pool2d"}, 2], )J"
            R"J("rewire_users": true}, {"step": "erase", "node": "max_pool2d", "replace_with": )J"
            R"J("mul"}])J"_steps));
        m_window->actions().partition->trigger();
        QTRY_VERIFY(panel().isSeen());
        QTRY_VERIFY(lists("avg_pool2d"));
        QCOMPARE(panel().draft().ofNode("avg_pool2d"), Support::Unsupported);
        QCOMPARE(panel().draft().ofNode("max_pool2d"), Support::ByRule);
        QTRY_VERIFY(panel().outcome().refusal(node("avg_pool2d")));
        document().versions().undo();
        QCOMPARE(panel().draft().ofNode("max_pool2d"), Support::Unsupported);
        QTRY_COMPARE(count(), 2u);
        m_window->renameNode(QStringLiteral("max_pool2d"), QStringLiteral("pool"));
        QCOMPARE(panel().draft().ofNode("pool"), Support::Unsupported);
        QTRY_COMPARE(count(), 2u);
    }

    void refusal_cycle_move_fuse_undo() {
        open(sample("simple_net.pt"));
        const QString before = code();
        tickAll();
        QTRY_COMPARE(count(), 1u);
        panel().setFlags(1); // single nodes stay
        // One node in the middle is refused: the partitions around it are two.
        document().selection().select({node("max_pool2d")}, nullptr);
        for (QToolButton* each : panel().findChildren<QToolButton*>())
            if (each->text() == QStringLiteral("Reject")) QTest::mouseClick(each, Qt::LeftButton);
        QTRY_COMPARE(count(), 2u);
        QVERIFY(panel().outcome().refusal(node("max_pool2d")));
        QTRY_VERIFY(shows(QStringLiteral("is not in a partition: not supported")));
        QVERIFY(!shows(QStringLiteral("line 1")));
        QCOMPARE(panel().styleOf(node("max_pool2d"))->badge, std::string("unsupported"));
        // Two partitions chosen in the table: the cycle, on the canvas too.
        table().selectAll();
        QTRY_VERIFY(!panel().why().cycle().empty());
        QVERIFY(std::find(panel().why().cycle().begin(), panel().why().cycle().end(), node("max_pool2d")) !=
                panel().why().cycle().end());
        QVERIFY(shows(QStringLiteral("would create a cycle")));
        QVERIFY(panel().styleOf(panel().why().cycle().front())->marked);
        for (QToolButton* each : panel().findChildren<QToolButton*>())
            if (each->text() == QStringLiteral("▸")) QTest::mouseClick(each, Qt::LeftButton);
        QCOMPARE(document().selection().nodes(), std::vector<fx::NodeId>{panel().why().cycle().front()});
        QVERIFY(!panel().why().cycle().empty()); // going along it does not end it
        // An invalid move is reported and changes nothing.
        const int first = panel().outcome().partition(node("conv")),
                  last = panel().outcome().partition(node("flatten"));
        document().selection().select({node("conv")}, nullptr);
        QVERIFY(!panel().moveSelection(last));
        QVERIFY(shows(QStringLiteral("Cannot move")));
        QVERIFY(!panel().why().cycle().empty());
        QVERIFY(panel().query().assignment.empty());
        // A valid one is done, and taken back.
        document().selection().select({node("max_pool2d")}, nullptr);
        QVERIFY(panel().moveSelection(first));
        QTRY_COMPARE(panel().outcome().partition(node("max_pool2d")), first);
        QVERIFY(shows(QStringLiteral("manual move")));
        QTest::mouseClick(button(QStringLiteral("Fuse")), Qt::LeftButton);
        QTRY_VERIFY(code().contains(QStringLiteral("fused_1")));
        QVERIFY(document()
                    .versions()
                    .history()
                    ->entries()[document().versions().history()->current()]
                    .steps[0]
                    .find("assignment")
                    .exists());
        document().versions().undo();
        QTRY_COMPARE(code(), before);
    }

    void expand_fused_isAsBefore() {
        open(sample("simple_net.pt"));
        const QString before = code();
        tickAll();
        QTRY_COMPARE(count(), 1u);
        QTest::mouseClick(button(QStringLiteral("Fuse")), Qt::LeftButton);
        QTRY_VERIFY(code().contains(QStringLiteral("fused_0")));
        document().selection().select({node("fused_0")}, nullptr);
        QVERIFY(m_window->actions().expandModule->isEnabled());
        m_window->actions().expandModule->trigger();
        QTRY_COMPARE(code(), before);
    }

    void whatIf_isSaidAndDone() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        const QModelIndex index = row(QStringLiteral("torch.max_pool2d")).isValid()
                                      ? row(QStringLiteral("torch.max_pool2d"))
                                      : tree().model()->index(0, 0, tree().model()->index(1, 0));
        tree().setCurrentIndex(index);
        QTRY_VERIFY(shows(QStringLiteral("were not supported:")));
    }

    void dragged_ontoARow_moves() {
        makeTwo();
        QAbstractItemModel& model = *table().model();
        const int first = panel().outcome().partition(node("conv")), last = 1 - first;
        // The selection of the canvas onto a partition that can take it.
        QMimeData selection;
        selection.setData(PartitionTableModel::kSelection, {});
        QVERIFY(!model.canDropMimeData(&selection, Qt::MoveAction, -1, -1, {})); // beside the rows
        model.dropMimeData(&selection, Qt::MoveAction, -1, -1, model.index(first, 0));
        QTRY_COMPARE(panel().outcome().partition(node("max_pool2d")), first);
        // The row of one partition onto that of the other: they become one.
        const std::unique_ptr<QMimeData> row(model.mimeData({model.index(last, 0)}));
        QVERIFY(!model.canDropMimeData(row.get(), Qt::MoveAction, -1, -1, model.index(last, 0))); // onto itself
        model.dropMimeData(row.get(), Qt::MoveAction, -1, -1, model.index(first, 0));
        QTRY_COMPARE(count(), 1u);
        QVERIFY(shows(QStringLiteral("2 manual moves")));
    }

    void dragged_overANodeBetween_showsTheCycle() {
        makeTwo();
        QAbstractItemModel& model = *table().model();
        const std::unique_ptr<QMimeData> row(model.mimeData({model.index(0, 0)}));
        model.dropMimeData(row.get(), Qt::MoveAction, -1, -1, model.index(1, 0));
        QTRY_VERIFY(shows(QStringLiteral("Cannot move")));
        QCOMPARE(count(), 2u);
    }

    void moveToWhereTheyAre_changesNothing() {
        makeTwo();
        document().selection().select({node("conv")}, nullptr);
        const int own = panel().outcome().partition(node("conv"));
        QVERIFY(own >= 0);
        QMenu menu;
        panel().addTo(menu);
        QStringList texts;
        for (const QAction* action : menu.actions()) texts << action->text();
        QVERIFY(texts.contains(QStringLiteral("Move to Partition %1").arg(1 - own)));
        QVERIFY(!texts.contains(QStringLiteral("Move to Partition %1").arg(own)));
        QMenu moves; // of the button that is called so
        panel().addMovesTo(moves);
        for (const QAction* action : moves.actions()) QVERIFY(action->text().contains(QStringLiteral("Partition")));
        QCOMPARE(moves.actions().size(), menu.actions().size() - 4); // three marks, a separator
        QVERIFY(panel().moveSelection(own));
        QVERIFY(testing::settle());
        QVERIFY(!shows(QStringLiteral("manual move")));
    }

    void moves_followEdits_andUndo() {
        makeTwo();
        document().selection().select({node("conv")}, nullptr);
        QVERIFY(panel().moveSelection(PartitionPanel::kNew));
        QTRY_COMPARE(count(), 3u);
        QVERIFY(document().versions().edit(QStringLiteral("Rename"),
                                           "[{\"step\": \"rename\", \"node\": \"conv\", \"name\": \"first\"}]"_steps));
        QTRY_COMPARE(count(), 3u);
        const int own = panel().outcome().partition(node("first"));
        QCOMPARE(panel().outcome().report.partitions[static_cast<std::size_t>(own)].nodes.size(), 1u);
        QVERIFY(shows(QStringLiteral("1 manual move")));
        // Fusing leaves nothing of them; undo brings them back.
        QTest::mouseClick(button(QStringLiteral("Fuse")), Qt::LeftButton);
        QTRY_VERIFY(code().contains(QStringLiteral("fused_0")));
        QVERIFY(testing::settle());
        QVERIFY(!shows(QStringLiteral("manual move")));
        document().versions().undo();
        QTRY_COMPARE(count(), 3u);
        QVERIFY(shows(QStringLiteral("1 manual move")));
        document().versions().undo();
        QTRY_COMPARE(count(), 3u);
        QVERIFY(panel().outcome().partition(node("conv")) >= 0);
        // Discarded in one version, they are in no other.
        for (QLabel* label : panel().findChildren<QLabel*>())
            if (label->text().contains(QStringLiteral("1 manual move"))) Q_EMIT label->linkActivated("hand:none");
        QTRY_COMPARE(count(), 2u);
        document().versions().redo();
        QTRY_COMPARE(count(), 2u);
        QVERIFY(!shows(QStringLiteral("manual move")));
    }

    void fusedAfterAMove_itsResultsAreInNoPartition() {
        // Two results of one fused module are unpacked by getitems, which the move is not about.
        open(sample("resnet.pt"));
        const auto before = document().module();
        QVERIFY(document().versions().edit(QStringLiteral("Fuse"), R"([{"step": "partition", "fuse": true, "assignment":
            [["maxpool", "layer1_0_conv1"]]}])"_steps));
        const auto after = document().module();
        QVERIFY(after->graph.find("getitem") != fx::kNoNode);
        QVERIFY(withCarriedNodes({{"maxpool"}}, *before, *after).empty());
    }

    void fused_whatWasTickedAndHasGone_isNoWarning() {
        makeTwo();
        QTest::mouseClick(button(QStringLiteral("Fuse")), Qt::LeftButton);
        QTRY_VERIFY(code().contains(QStringLiteral("fused_0")));
        QTRY_VERIFY(row(QStringLiteral("torch.relu")).isValid() == code().contains(QStringLiteral("torch.relu(")));
        QVERIFY(testing::settle());
        QVERIFY(!shows(QStringLiteral("names no node")));
    }
};

QTEST_MAIN(TestPartitionEdits)
#include "tst_partition_edits.moc"

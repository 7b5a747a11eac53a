// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "tests/json_steps.h"
#include "tests/sanitized.h"
#include "tests/ui/support/models.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/change_list.h"
#include "ui/changes/changes_panel.h"
#include "ui/changes/compare_window.h"
#include "ui/changes/diff_view.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <ctime>

using namespace ui;

/// The nodes in which two versions differ.
class TestChangeList : public QObject {
    Q_OBJECT

    /// A chain of linears and relus, of which one is changed, one renamed, one erased, and one added.
    static std::shared_ptr<const VersionDifference> difference() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(10);
        const auto after = fx::History::edited(
            *before, R"([{"step": "set_target", "node": "relu", "target": "torch.tanh"}, {"step": "rename", "node": )"
                     R"("relu_1", "name": "act"},
            {"step": "insert_after", "node": "act", "op": "call_function", "target": "torch.abs", "args": )"
                     R"([{"node": "act"}], "rewire_users": true, "name": "added"},
            {"step": "replace_uses", "node": "relu_3", "with": "relu_2"}, {"step": "erase", "node": "relu_3"}])"_steps);
        return std::make_shared<const VersionDifference>(differenceOf(before, after));
    }
    static QStringList rows(const ChangeModel& model) {
        QStringList texts;
        for (int row = 0; row < model.rowCount(); ++row)
            texts << model.index(row, ChangeModel::What).data().toString() + u' ' +
                         model.index(row, ChangeModel::Name).data().toString();
        return texts;
    }

private Q_SLOTS:
    void rows_inTheOrderOfTheCode_sayWhatHappened() {
        ChangeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto made = difference();
        model.setDifference(made);
        const QStringList texts = rows(model);
        QCOMPARE(static_cast<std::size_t>(texts.size()),
                 made->effect.created.size() + made->effect.changed.size() + made->effect.erased.size());
        QCOMPARE(texts.value(0), QStringLiteral("changed relu"));
        QVERIFY2(texts.contains(QStringLiteral("changed act, was relu_1")), qPrintable(texts.join(u'|')));
        QVERIFY2(texts.indexOf(QStringLiteral("created added")) > 0, qPrintable(texts.join(u'|')));
        const int erased = static_cast<int>(texts.indexOf(QStringLiteral("erased relu_3")));
        QVERIFY2(erased > 0, qPrintable(texts.join(u'|')));
        QVERIFY(model.index(erased, ChangeModel::Name).data(Qt::FontRole).value<QFont>().strikeOut());
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("torch.tanh")));
        QCOMPARE(model.index(0, ChangeModel::Target).data().toString(), QStringLiteral("torch.tanh"));
        model.setDifference(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void sidesOfACompareWindow_openAtTheSameZoom() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(60);
        const auto after = fx::History::edited(
            *before, R"([{"step": "set_target", "node": "relu", "target": "torch.nn.functional.adaptive_avg_pool2d"},
            {"step": "rename", "node": "relu_1", "name": "a_name_that_makes_its_card_much_wider_than_others"}])"_steps);
        CompareWindow window(std::make_shared<const VersionDifference>(differenceOf(before, after)),
                             QStringLiteral("Compare"), QString(), nullptr);
        window.resize(850, 1100); // at 100 % wide enough for one of the pictures
        window.show();
        QTRY_VERIFY(window.canvas(0)->scene().itemCount() > 0 && window.canvas(1)->scene().itemCount() > 0);
        QTRY_COMPARE(window.canvas(1)->zoom(), window.canvas(0)->zoom());
        QTRY_COMPARE(window.canvas(1)->camera().origin, window.canvas(0)->camera().origin);
    }

    /// Also when shapes become known while the picture is laid out.
    void compareWindow_opensAtTheFirstDifference() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(60);
        fx::NodeId last = fx::kNoNode;
        for (const fx::Node& node : before->graph.nodes())
            if (node.op() == fx::Op::CallFunction) last = node.id();
        const auto after =
            fx::History::edited(*before, fx::StepList().setTarget(before->graph.node(last).name(), "torch.tanh"));
        CompareWindow window(std::make_shared<const VersionDifference>(differenceOf(before, after)),
                             QStringLiteral("Preview"), QStringLiteral("Replace"), nullptr);
        window.setShown(0, before);
        window.resize(850, 700);
        window.show();
        for (const std::size_t side : {0, 1}) {
            const GraphCanvas& canvas = *window.canvas(side);
            QTRY_VERIFY(canvas.scene().seatOf(last) != kNoItem);
            const auto isSeen = [&] {
                const fx::Rect rect = canvas.scene().rect(canvas.scene().seatOf(last));
                return QRectF(canvas.rect()).intersects(canvas.camera().toScreen(rect));
            };
            QTRY_VERIFY(isSeen());
        }
    }

    /// A pattern that is replaced by itself with one node more: what both have in common is unchanged.
    void recreatedNodes_areUnchanged() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(10);
        const auto after = fx::History::edited(
            *before, R"J([{"step": "replace_pattern", "pattern": "def pattern(x, m: nn.Linear):\n    return )J"
                     R"J(torch.relu(m(x))\n", "replacement": "def replacement(x, m: nn.Linear):\n    return )J"
                     R"J(torch.tanh(m(x))\n"}])J"_steps);
        const VersionDifference made = differenceOf(before, after);
        std::size_t relus = 0;
        for (const fx::Node& node : before->graph.nodes()) relus += node.name().find("relu") != std::string::npos;
        QVERIFY(relus > 1);
        QCOMPARE(made.effect.created.size(), relus); // tanh in place of relu
        QCOMPARE(made.effect.erased.size(), relus);
        QCOMPARE(made.effect.changed.size(), 0u); // the users of relu have only new nodes in its place
        for (const fx::Node& node : after->graph.nodes())
            QCOMPARE(made.kindOf(node.id()) == VersionDifference::Kind::Same,
                     node.name().find("tanh") == std::string::npos);
        std::size_t kinds[4] = {};
        for (const auto& line : made.lines) ++kinds[static_cast<std::size_t>(line.kind)];
        using Kind = VersionDifference::Kind;
        QCOMPARE(kinds[static_cast<std::size_t>(Kind::Created)], relus);
        QCOMPARE(kinds[static_cast<std::size_t>(Kind::Erased)], relus);
    }

    void manyReplacements_areComparedInTime() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(25'000);
        const auto after = fx::History::edited(
            *before, R"J([{"step": "replace_pattern", "pattern": "def pattern(x, m: nn.Linear):\n    return )J"
                     R"J(torch.relu(m(x))\n", "replacement": "def replacement(x, m: nn.Linear):\n    return )J"
                     R"J(torch.tanh(m(x))\n"}])J"_steps);
        const std::clock_t start = std::clock();
        const VersionDifference made = differenceOf(before, after);
        const double millis = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY(made.effect.created.size() > 12'000);
        QVERIFY(made.effect.changed.empty());
        QVERIFY2(millis < kPatience * 2'000, qPrintable(QString::number(millis)));
    }

    /// What is called is new although the call is the same: it is not shown as unchanged.
    void newWeights_areAChange() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(4);
        fx::NodeId linear = fx::kNoNode;
        for (const fx::Node& node : before->graph.nodes())
            if (node.op() == fx::Op::CallModule && linear == fx::kNoNode) linear = node.id();
        const std::string path = before->graph.node(linear).target();
        const auto replacing = [&](const char* seed) {
            return fx::StepList::parse(
                R"J([{"step": "replace_module", "path": ")J" + path +
                R"J(", "module": {"type": "torch.nn.Linear", "settings": {"in_features": 4, "out_features": )J"
                R"J(4}, "seed": )J" +
                seed + R"J(}, "keep": false}])J");
        };
        const auto after = fx::History::edited(*before, replacing("7"));
        const auto made = std::make_shared<const VersionDifference>(differenceOf(before, after));
        QCOMPARE(made->effect.changed, std::vector{linear});
        QCOMPARE(made->kindOf(linear), VersionDifference::Kind::Changed);
        ChangeModel model;
        model.setDifference(made);
        const QString name = QString::fromStdString(before->graph.node(linear).name());
        QCOMPARE(rows(model), QStringList{QStringLiteral("new module ") + name});
        const auto ofHistory =
            std::make_shared<const VersionDifference>(differenceOf({{{}, {}, {}, before}, {{}, {}, {}, after}}));
        model.setDifference(ofHistory);
        QCOMPARE(rows(model), QStringList{QStringLiteral("new random weights ") + name});
        QVERIFY2(summaryOf(*ofHistory).contains(QStringLiteral("New random weights: ") + QString::fromStdString(path)),
                 qPrintable(summaryOf(*ofHistory)));
        QStringList changed; // lines
        for (const auto& line : made->lines)
            if (line.kind != VersionDifference::Kind::Same) changed << QString::fromUtf8(line.text);
        QCOMPARE(changed.size(), 2);
        QVERIFY2(changed[1].endsWith(QStringLiteral("# Linear(in_features=4, out_features=4)")),
                 qPrintable(changed[1]));
        const auto again = fx::History::edited(*after, replacing("8"));
        QStringList created;
        for (const auto& line : differenceOf(after, again).lines)
            if (line.kind == VersionDifference::Kind::Created) created << QString::fromUtf8(line.text);
        QCOMPARE(created.size(), 1);
        QVERIFY2(created[0].endsWith(QStringLiteral("with other weights")), qPrintable(created[0]));
    }

    /// A module that was replaced at the same path is not the same call.
    void recreatedNodes_ofAnotherModule_haveChanged() {
        const std::shared_ptr<const fx::GraphModule> before = testing::chain(4);
        const auto after = fx::History::edited(
            *before, R"J([{"step": "replace_pattern", "pattern": "def pattern(x, m: nn.Linear):\n    return m(x)\n", )J"
                     R"J("replacement": "def replacement(x, m: nn.Linear):\n    return nn.Identity()(x)\n"}])J"_steps);
        const VersionDifference made = differenceOf(before, after);
        QVERIFY(!made.effect.created.empty());
        QCOMPARE(made.effect.created.size(), made.effect.erased.size());
    }

    void codeDifferences_veryMany_partAroundTheChosenNodeIsShown() {
        constexpr std::uint32_t kLines = 50'000;
        std::vector<VersionDifference::Line> lines;
        for (std::uint32_t i = 0; i < kLines; ++i)
            lines.push_back({i % 2 ? VersionDifference::Kind::Created : VersionDifference::Kind::Erased,
                             QByteArray("line ") + QByteArray::number(i), fx::NodeId{i}});
        DiffView view;
        view.setDifference(lines);
        QCOMPARE(view.nodeAt(0), fx::NodeId{0});
        QVERIFY(view.lines() < 5000);
        QVERIFY(view.text().endsWith(QStringLiteral("lines below: choose a node above to see them")));
        QCOMPARE(view.nodeAt(view.lines() - 1), fx::kNoNode); // what says so
        view.showNode(fx::NodeId{30'000});
        const int line = static_cast<int>(view.text().split(u'\n').indexOf(QStringLiteral("line 30000")));
        QVERIFY(line > 0);
        QCOMPARE(view.nodeAt(line), fx::NodeId{30'000});
        QCOMPARE(view.nodeAt(0), fx::kNoNode);
        view.showNode(fx::NodeId{kLines - 1});
        QCOMPARE(view.nodeAt(view.lines() - 1), fx::NodeId{kLines - 1});
        view.setDifference({lines.begin(), lines.begin() + 10});
        QCOMPARE(view.lines(), 10);
    }

    void click_andKeys_chooseTheNode() {
        ChangeList list;
        const auto made = difference();
        list.setDifference(made);
        list.resize(400, 300);
        list.show();
        QVERIFY(QTest::qWaitForWindowExposed(&list));
        std::vector<fx::NodeId> chosen;
        connect(&list, &ChangeList::chosen, this, [&](fx::NodeId node) { chosen.push_back(node); });
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.changes()->index(0, 1)).center());
        QVERIFY(!chosen.empty());
        QVERIFY(chosen.back() == list.changes()->nodeAt(0));
        QTest::keyClick(&list, Qt::Key_Down);
        QCOMPARE(chosen.back(), list.changes()->nodeAt(1));
    }
};

QTEST_MAIN(TestChangeList)
#include "tst_change_list.moc"

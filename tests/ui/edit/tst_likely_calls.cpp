// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "ui/edit/likely_calls.h"

#include <QTest>

using namespace ui;

/// What the Insert dialog lists first.
class TestLikelyCalls : public QObject {
    Q_OBJECT

    static QStringList targets(const std::vector<CallableChoice>& choices) {
        QStringList names;
        for (const CallableChoice& choice : choices) names << choice.target;
        return names;
    }

private Q_SLOTS:
    void plausible_followsWhatTheModelDoesThere() {
        const auto model = fx::openModel(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
        fx::NodeId conv = fx::kNoNode;
        for (const fx::Node& node : model->graph.nodes())
            if (const auto choice = choiceOf(*model, node);
                choice && choice->target == QStringLiteral("torch.nn.Conv2d") && conv == fx::kNoNode)
                conv = node.id();
        QVERIFY(conv != fx::kNoNode);
        const auto after = plausibleCalls(*model, conv, true);
        QVERIFY(!after.empty());
        QCOMPARE(after.front().target, QStringLiteral("torch.nn.BatchNorm2d"));
        QCOMPARE(after.front().op, fx::Op::CallModule);
        QVERIFY(after.front().signature.contains(QStringLiteral("num_features")));
        QCOMPARE(plausibleCalls(*model, conv, true, 2).size(), 2u);
        QStringList once = targets(after);
        once.removeDuplicates();
        QCOMPARE(once, targets(after));
    }

    void recent_newestFirst_onceEach_andSurvivesNonsense() {
        QByteArray json;
        for (const char* name : {"torch.relu", "torch.tanh", "torch.relu"})
            json = recentCallsWith(json, {fx::Op::CallFunction, QLatin1String(name), {}});
        json = recentCallsWith(json, {fx::Op::CallMethod, QStringLiteral("view"), {}});
        QCOMPARE(targets(recentCalls(json)), QStringList({"view", "torch.relu", "torch.tanh"}));
        QVERIFY(recentCalls("nonsense").empty());
        QVERIFY(recentCalls(R"([[99, "torch.relu"], "x", [1]])").empty());
    }

    void search_preferredComesFirstAmongEquals() {
        const CallableChoice preferred{fx::Op::CallFunction, QStringLiteral("torch.relu"), {}};
        QVERIFY(searchCallables(QStringLiteral("relu"), false).front().target != preferred.target);
        QCOMPARE(searchCallables(QStringLiteral("relu"), false, 200, {preferred}).front().target, preferred.target);
        QCOMPARE(searchCallables(QStringLiteral("tanh"), false, 200, {preferred}).front().target,
                 searchCallables(QStringLiteral("tanh"), false).front().target);
    }

    void nearest_isWhatWasMeant() {
        QCOMPARE(nearestCallable(QStringLiteral("torch.reluu"), false)->target, QStringLiteral("torch.relu"));
        QCOMPARE(nearestCallable(QStringLiteral("sofmax"), false)->target, QStringLiteral("torch.softmax"));
        QCOMPARE(nearestCallable(QStringLiteral("BatchNrm2d"), true)->target, QStringLiteral("torch.nn.BatchNorm2d"));
        QVERIFY(!nearestCallable(QStringLiteral("qqqqqqqqqqq"), false));
    }
};

QTEST_MAIN(TestLikelyCalls)
#include "tst_likely_calls.moc"

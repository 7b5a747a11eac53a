// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/change_lint.h"

#include <QTest>

using namespace fx;

/// The check of a model after a change.
class TestChangeLint : public QObject {
    Q_OBJECT

    /// A nested graph of one call.
    static std::shared_ptr<GraphModule> branch() {
        const auto made = std::make_shared<GraphModule>();
        const NodeId x = made->graph.placeholder("x");
        made->graph.output(made->graph.createNode(Op::CallMethod, "neg", {x}));
        return made;
    }
    /// A model that passes a nested graph on, and a module that does not exist.
    static GraphModule model() {
        GraphModule made;
        const NodeId x = made.graph.placeholder("x");
        const NodeId graph = made.graph.createNode(Op::GetAttr, "true_graph_0");
        const NodeId missing = made.graph.createNode(Op::CallModule, "missing", {x});
        made.graph.output(Argument::tuple({graph, missing}));
        made.subgraphs = {{"true_graph_0", branch()}};
        return made;
    }
    static QString refusal(const GraphModule& before, const GraphModule& after, bool mayMissPaths = false) {
        try {
            lintChange(before, after, mayMissPaths);
        } catch (const Error& error) { return QString::fromStdString(error.node + "|" + error.modulePath); }
        return {};
    }

private Q_SLOTS:
    void whatWasMissing_mayStayMissing() {
        const GraphModule before = model();
        GraphModule after = before;
        after.root = std::make_shared<Module>(*before.root);
        QCOMPARE(refusal(before, after), QString());
    }
    void newTargets_mustExist() {
        const GraphModule before = model();
        GraphModule after = before;
        after.graph.setTarget(after.graph.find("missing"), "other");
        QCOMPARE(refusal(before, after), QStringLiteral("missing|"));
        QCOMPARE(refusal(before, after, true), QString());
    }
    void nestedGraphThatIsRead_mustExist() {
        const GraphModule before = model();
        GraphModule after = before;
        after.subgraphs.clear();
        QCOMPARE(refusal(before, after), QStringLiteral("true_graph_0|"));
    }
    void changedNestedGraph_isCheckedToo() {
        const GraphModule before = model();
        GraphModule after = before;
        const auto broken = std::make_shared<GraphModule>(*before.subgraphs[0].second);
        broken->graph.moveBefore(broken->graph.find("neg"), broken->graph.find("x"));
        after.subgraphs[0].second = broken;
        QCOMPARE(refusal(before, after), QStringLiteral("neg|true_graph_0"));
        QCOMPARE(refusal(after, after), QString()); // not by this change
    }
};

QTEST_APPLESS_MAIN(TestChangeLint)
#include "tst_change_lint.moc"

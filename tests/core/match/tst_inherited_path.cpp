// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/inherited_path.h"

#include <QTest>

using namespace fx;

/// The modules of nodes that replace others.
class TestInheritedPath : public QObject {
    Q_OBJECT

    Graph m_graph;
    NodeId call(const char* path) { return m_graph.createNode(Op::CallModule, path); }
    NodeId method() { return m_graph.createNode(Op::CallMethod, "relu"); }
    void setStack(NodeId id, std::vector<ModuleFrame> frames) {
        NodeMeta meta;
        meta.moduleStack = std::move(frames);
        m_graph.setMeta(id, std::make_shared<const NodeMeta>(meta));
    }
    QString pathAfter(std::vector<NodeId> replaced, NodeId created) {
        inheritModulePath(m_graph, replaced, std::vector{created});
        const auto& stack = m_graph.node(created).meta().moduleStack;
        return stack.empty() ? QString() : QString::fromStdString(stack.back().path);
    }

private Q_SLOTS:
    void init() { m_graph = Graph(); }

    void replacement_ofModulesInABlock_isInTheBlock() {
        QCOMPARE(pathAfter({call("layer1.0.conv1"), method(), call("layer1.0.bn1")}, method()), QString("layer1.0"));
    }
    void replacement_acrossBlocks_isInWhatHoldsBoth() {
        QCOMPARE(pathAfter({call("layer1.0.conv1"), call("layer1.1.bn1")}, method()), QString("layer1"));
        QCOMPARE(pathAfter({call("layer1.0.conv1"), call("head")}, method()), QString());
    }
    void replacement_ofCallsWithStacks_hasTheirFrames() {
        const NodeId add = method();
        setStack(add, {{"", "", "Net"}, {"L__b", "b", "mine.Block"}});
        const NodeId created = method();
        QCOMPARE(pathAfter({add}, created), QString("b"));
        QCOMPARE(m_graph.node(created).meta().moduleStack.back().type, std::string("mine.Block"));
    }
    void created_withAPathOfItsOwn_keepsIt() {
        const NodeId module = call("new.relu");
        QCOMPARE(pathAfter({call("layer1.0.conv1")}, module), QString());
        const NodeId traced = method();
        setStack(traced, {{"", "", "Net"}, {"x", "x", ""}});
        QCOMPARE(pathAfter({call("layer1.0.conv1")}, traced), QString("x"));
    }
    void replacement_ofCallsWithoutPaths_hasNone() { QCOMPARE(pathAfter({method()}, method()), QString()); }
};

QTEST_APPLESS_MAIN(TestInheritedPath)
#include "tst_inherited_path.moc"

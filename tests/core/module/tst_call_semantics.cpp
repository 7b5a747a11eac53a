// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"
#include "core/python/tracing/trace_definition.h"

#include <QTest>

using namespace fx;

namespace {

std::shared_ptr<Module> layer(const char* name, const char* in, bool training = false,
                              std::initializer_list<std::pair<const char*, Argument>> settings = {}) {
    auto module = std::make_shared<Module>();
    module->className = name, module->classModule = in, module->training = training;
    for (const auto& [key, value] : settings) module->attributes.emplace_back(key, value);
    return module;
}

/// x -> the module
GraphModule calling(std::shared_ptr<Module> module, bool byName = false) {
    GraphModule net;
    net.root->children.push_back({"m", std::move(module)});
    const NodeId x = net.graph.placeholder("x");
    net.graph.output(byName ? net.graph.createNode(Op::CallModule, "m", {}, {{"input", x}})
                            : net.graph.createNode(Op::CallModule, "m", {x}));
    return net;
}
const Node& nodeOf(const GraphModule& net, std::string_view name) { return net.graph.node(net.graph.find(name)); }
std::string names(const GraphModule& net, const std::vector<NodeId>& ids) {
    std::string text;
    for (const NodeId id : ids) text += (text.empty() ? "" : " ") + net.graph.node(id).name();
    return text;
}

} // namespace

class TestCallSemantics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void written_bindsArgumentsToParameters_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("values");
        QTest::newRow("keyword") << "torch.relu_(input=x)"
                                 << "relu_"
                                 << "x";
        QTest::newRow("inplace by position") << "F.relu(x, True)"
                                             << "relu"
                                             << "x";
        QTest::newRow("inplace is false") << "F.relu(x, False)"
                                          << "relu"
                                          << "";
        QTest::newRow("out") << "torch.add(x, 1, out=y)"
                             << "add"
                             << "y";
        QTest::newRow("several out") << "torch.max(x, 0, out=(x, y))"
                                     << "max_1"
                                     << "x y";
        QTest::newRow("method") << "x.copy_(y)"
                                << "copy_"
                                << "x";
        QTest::newRow("plain") << "torch.relu(x)"
                               << "relu"
                               << "";
    }
    void written_bindsArgumentsToParameters() {
        QFETCH(QString, call);
        QFETCH(QString, node);
        QFETCH(QString, values);
        const GraphModule net = traceFunctionSource("def net(x, y):\n    return " + call.toStdString() + "\n");
        QVERIFY(net.graph.find(node.toStdString()) != kNoNode);
        QCOMPARE(QString::fromStdString(names(net, CallSemantics(*net.root).written(nodeOf(net, node.toStdString())))),
                 values);
    }

    void modules_whatTheirSettingsSay() {
        const char* const activation = "torch.nn.modules.activation";
        const GraphModule relu = calling(layer("ReLU", activation, false, {{"inplace", Argument(true)}}), true);
        QCOMPARE(names(relu, CallSemantics(*relu.root).written(nodeOf(relu, "m"))), std::string("x"));
        QVERIFY(!CallSemantics(*relu.root).isRandom(nodeOf(relu, "m")));
        for (const bool training : {false, true}) {
            const GraphModule dropout = calling(layer("Dropout", "torch.nn.modules.dropout", training));
            const CallSemantics semantics(*dropout.root);
            QCOMPARE(semantics.isRandom(nodeOf(dropout, "m")), training);
            QVERIFY(!semantics.hasEffect(nodeOf(dropout, "m")));
            QCOMPARE(names(dropout, semantics.sharedMemory(nodeOf(dropout, "m"))), std::string("x"));
            const GraphModule norm = calling(layer("BatchNorm2d", "torch.nn.modules.batchnorm", training));
            QCOMPARE(CallSemantics(*norm.root).hasEffect(nodeOf(norm, "m")), training);
            const GraphModule lstm =
                calling(layer("LSTM", "torch.nn.modules.rnn", training, {{"dropout", Argument(0.5)}}));
            QCOMPARE(CallSemantics(*lstm.root).isRandom(nodeOf(lstm, "m")), training);
        }
        const GraphModule unknown = calling(layer("Mine", "mine"));
        QVERIFY(CallSemantics(*unknown.root).isRandom(nodeOf(unknown, "m")));
        QVERIFY(CallSemantics(*unknown.root).hasEffect(nodeOf(unknown, "m")));
    }

    void memory_viewsAndWhatIsWrittenTo_isThatOfTheFirst() {
        const GraphModule net = traceFunctionSource(
            "def net(x):\n    a = x + 1\n    b = a.view(-1)\n    c = b[0].mul_(2)\n    return torch.relu(c), c\n");
        const auto memory = CallSemantics(*net.root).memoryOf(net.graph);
        for (const char* name : {"view", "getitem", "mul_"})
            QCOMPARE(net.graph.node(memory[index(net.graph.find(name))]).name(), std::string("add"));
        QCOMPARE(net.graph.node(memory[index(net.graph.find("relu"))]).name(), std::string("relu"));
    }
};

QTEST_APPLESS_MAIN(TestCallSemantics)
#include "tst_call_semantics.moc"

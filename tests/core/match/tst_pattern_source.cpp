// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/pattern_source.h"
#include "core/match/subgraph_matcher.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

class TestPatternSource : public QObject {
    Q_OBJECT

    static std::vector<NodeId> named(const GraphModule& module, std::initializer_list<const char*> names) {
        std::vector<NodeId> nodes;
        for (const char* name : names) nodes.push_back(module.graph.find(name));
        return nodes;
    }

private Q_SLOTS:
    void functions_readAsTheyWereWritten() {
        const GraphModule net = traceFunctionSource(
            "def net(x, y):\n    a = torch.relu(x) + y\n    b = a.view(-1, 2) * 3\n    return b + a\n");
        QCOMPARE(patternSource(net, named(net, {"mul", "relu", "add", "view"})),
                 std::string("def pattern(x, y):\n    relu = torch.relu(x)\n    add = relu + y\n    view = "
                             "add.view(-1, 2)\n    mul = view * 3\n    return (add, mul)\n"));
    }
    void modules_becomeInputsOfTheirType_andMatchElsewhere() {
        GraphModule net;
        NodeId last = net.graph.placeholder("x");
        for (const char* path : {"0", "1", "layer.0", "layer.1"}) {
            auto module = std::make_shared<Module>();
            module->className = "Linear";
            module->classModule = "torch.nn.modules.linear";
            const bool inner = std::string_view(path).size() > 1;
            if (inner && !net.root->child("layer")) net.root->children.push_back({"layer", std::make_shared<Module>()});
            (inner ? const_cast<Module*>(net.root->child("layer"))->children : net.root->children)
                .push_back({inner ? path + 6 : path, module});
            last = net.graph.createNode(Op::CallModule, path, {last});
            last = net.graph.createNode(Op::CallMethod, "relu", {last});
        }
        net.graph.output(last);
        const std::string source = patternSource(net, {net.graph.order()[3], net.graph.order()[4]});
        QVERIFY2(source.starts_with("def pattern(relu, m_1: nn.Linear):\n"), source.c_str());
        const GraphModule pattern = traceFunctionSource(source);
        QCOMPARE(SubgraphMatcher(pattern).match(net).size(), 4u);
    }
    void anySelection_findsItself() {
        const GraphModule net = traceFunctionSource(
            "def net(x, y):\n    a = torch.nn.functional.softmax(x, dim=-1)\n    b = a[:, 1:2] @ y\n    c = "
            "torch.cat([a, b], 1)\n    d = c.to(torch.float64, non_blocking=True)\n    return {'d': d, 'c': c}\n");
        std::vector<NodeId> calls;
        for (const Node& node : net.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output) calls.push_back(node.id());
        for (std::size_t first = 0; first < calls.size(); ++first)
            for (std::size_t last = first + 1; last <= calls.size(); ++last) {
                const std::string source = patternSource(net, {calls.begin() + static_cast<std::ptrdiff_t>(first),
                                                               calls.begin() + static_cast<std::ptrdiff_t>(last)});
                const GraphModule pattern = traceFunctionSource(source);
                QVERIFY2(!SubgraphMatcher(pattern).match(net).empty(), source.c_str());
            }
    }
    void nothingToFind_isSaid() {
        const GraphModule net = traceFunctionSource("def net(x):\n    return torch.relu(x)\n");
        QVERIFY_THROWS_EXCEPTION(Error, patternSource(net, named(net, {"x"})));
    }
};

QTEST_GUILESS_MAIN(TestPatternSource)
#include "tst_pattern_source.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/lint.h"
#include "core/match/rewriter.h"
#include "core/module/module_editor.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

class TestRewriter : public QObject {
    Q_OBJECT

    static GraphModule reluChain(int length) {
        GraphModule net;
        const GraphModule relu = traceFunctionSource("def f(x):\n    return torch.relu(x)\n");
        NodeId last = net.graph.placeholder("x");
        for (int i = 0; i < length; ++i)
            last = net.graph.callFunction(relu.graph.node(relu.graph.find("relu")).callable(), {last});
        net.graph.output(last);
        return net;
    }

private Q_SLOTS:
    void typedInput_isCalledByTheReplacement() {
        GraphModule net;
        auto conv = std::make_shared<Module>();
        conv->className = "Conv2d";
        conv->classModule = "torch.nn.modules.conv";
        net.root->children.push_back({"conv", conv});
        net.graph.output(net.graph.createNode(Op::CallModule, "conv", {net.graph.placeholder("x")}));
        const GraphModule pattern = traceFunctionSource("def pattern(x, c: nn.Conv2d):\n    return c(x)\n");
        const GraphModule replacement =
            traceFunctionSource("def replacement(x, c: nn.Conv2d):\n    return torch.relu(c(x) + c.bias)\n");
        QCOMPARE(replacePattern(net, pattern, replacement).size(), 1u);
        const std::string code = generatePython(net.graph).text;
        QVERIFY2(code.find("self.conv(x)") != std::string::npos, code.c_str());
        QVERIFY2(code.find("self.conv.bias") != std::string::npos, code.c_str());
    }

    void filters_chooseMatches() {
        GraphModule net = reluChain(4);
        const GraphModule pattern = traceFunctionSource("def pattern(x):\n    return torch.relu(x)\n");
        const GraphModule replacement = traceFunctionSource("def replacement(x):\n    return torch.neg(x)\n");
        RewriteOptions options;
        options.filters.push_back([](const InternalMatch& match, const GraphModule& target, const GraphModule&) {
            return target.graph.node(match.returningNodes[0].value.node()).name() == "relu_2";
        });
        QCOMPARE(replacePattern(net, pattern, replacement, options).size(), 1u);
        QVERIFY(net.graph.find("neg") != kNoNode);
        QVERIFY(net.graph.find("relu_3") != kNoNode);
    }

    void manyMatches_areLinear() {
        GraphModule net = reluChain(200000);
        const GraphModule pattern = traceFunctionSource("def pattern(x):\n    return torch.relu(torch.relu(x))\n");
        const GraphModule replacement = traceFunctionSource("def replacement(x):\n    return torch.neg(x)\n");
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(replacePattern(net, pattern, replacement).size(), 100000u);
        QVERIFY2(timer.elapsed() < kPatience * 5000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(lint(net.graph).empty());
    }

    void newModulesOfManyMatches_areLinear() {
        GraphModule net = reluChain(100000);
        const GraphModule pattern = traceFunctionSource("def pattern(x):\n    return torch.relu(x)\n");
        GraphModule replacement;
        replacement.graph.output(
            replacement.graph.createNode(Op::CallModule, "tanh", {replacement.graph.placeholder("x")}));
        RewriteOptions options;
        options.newModules = {"tanh"};
        options.makeModule = [](const std::string&, const std::string&) {
            auto made = std::make_shared<Module>();
            made->className = "Tanh";
            return made;
        };
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(replacePattern(net, pattern, replacement, options).size(), 100000u);
        QVERIFY2(timer.elapsed() < kPatience * 5000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(net.root->children.size(), 100000u);
        QCOMPARE(net.root->children.back().name, std::string("tanh_100000"));
    }

    void largePattern_isErasedInLinearTime() {
        constexpr int kLength = 20000;
        const auto chain = [] { // one place to begin at
            GraphModule model = reluChain(kLength);
            const NodeId output = model.graph.outputNode(), last = model.graph.node(output).inputs()[0];
            model.graph.setInsertPoint({InsertPoint::Side::Before, output});
            const NodeId end = model.graph.createNode(Op::CallMethod, "tanh", {last});
            model.graph.setInsertPoint({});
            model.graph.setArgs(output, {end});
            return model;
        };
        GraphModule net = chain();
        const GraphModule pattern = chain();
        const GraphModule replacement = traceFunctionSource("def replacement(x):\n    return torch.neg(x)\n");
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(replacePattern(net, pattern, replacement).size(), 1u);
        QVERIFY2(timer.elapsed() < kPatience * 1000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(net.graph.size(), std::size_t{3});
    }

    void moduleReplacement_bringsItsModulesAndDropsUnusedOnes() {
        const auto leaf = [](const char* name) {
            auto module = std::make_shared<Module>();
            module->className = name;
            module->classModule = "torch.nn.modules.activation";
            return module;
        };
        GraphModule net, pattern, replacement;
        net.root->children.push_back({"act", leaf("ReLU")});
        net.graph.output(net.graph.createNode(Op::CallModule, "act", {net.graph.placeholder("x")}));
        pattern.root->children.push_back({"act", leaf("ReLU")});
        pattern.graph.output(pattern.graph.createNode(Op::CallModule, "act", {pattern.graph.placeholder("x")}));
        replacement.root->children.push_back({"new", leaf("GELU")});
        replacement.graph.output(
            replacement.graph.createNode(Op::CallModule, "new", {replacement.graph.placeholder("x")}));
        const GraphModule before = net; // a version that must not change
        RewriteOptions options;
        options.replacementIsModule = true;
        QCOMPARE(replacePattern(net, pattern, replacement, options).size(), 1u);
        QVERIFY(!net.root->child("act"));
        QCOMPARE(net.root->child("new")->className, std::string("GELU"));
        QVERIFY(net.root->child("new") != replacement.root->child("new"));
        QVERIFY(before.root->child("act"));
        QVERIFY(!before.root->child("new"));
    }

    void sharedModule_changedInOnePlace_staysShared() {
        GraphModule net;
        auto block = std::make_shared<Module>();
        block->className = "Block";
        net.root->children.push_back({"a", block});
        net.root->children.push_back({"b", block});
        block.reset();
        const GraphModule before = net;
        {
            ModuleEditor editor(net);
            QVERIFY(editor.add("a.inner", std::make_shared<Module>()));
        }
        QCOMPARE(net.root->child("a"), net.root->child("b"));
        QVERIFY(net.root->child("b")->child("inner"));
        QVERIFY(!before.root->child("a")->child("inner"));
        {
            ModuleEditor editor(net);
            QVERIFY(editor.remove("b"));
            QVERIFY(!editor.remove("b"));
            QVERIFY(editor.add("c.d.e", std::make_shared<Module>()));
        }
        QVERIFY(net.root->child("a"));
        QVERIFY(!net.root->child("b"));
        QCOMPARE(net.root->child("c")->className, std::string("Module"));
    }
};

QTEST_APPLESS_MAIN(TestRewriter)
#include "tst_rewriter.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/glob.h"
#include "core/partition/rule_support.h"
#include "core/trace/callables.h"

#include <QtTest>

using namespace fx;

class TestOperatorSupport : public QObject {
    Q_OBJECT

    /// One node of each kind of target.
    static GraphModule model() {
        GraphModule net;
        Graph& graph = net.graph;
        auto conv = std::make_shared<Module>();
        conv->className = "Conv2d";
        conv->classModule = "torch.nn.modules.conv";
        net.root->children.push_back({"conv", conv});
        auto weight = std::make_shared<TensorRef>();
        weight->dtype = DType::Int8;
        net.root->buffers.push_back({"scale", weight});
        const NodeId x = graph.placeholder("x");
        NodeMeta meta;
        meta.values.push_back({"torch.float32", {"2"}, {"1"}, "cpu", true, false});
        graph.setMeta(x, std::make_shared<const NodeMeta>(meta));
        const NodeId scale = graph.createNode(Op::GetAttr, "scale");
        const NodeId called = graph.createNode(Op::CallModule, "conv", {x});
        const NodeId relu = graph.callFunction(resolveCallable("torch.relu"), {called});
        const NodeId plus = graph.callFunction(resolveCallable("operator.add"), {relu, 1});
        const NodeId aten = graph.callFunction(resolveCallable("torch.ops.aten.add.Tensor"), {x, x});
        const NodeId gelu = graph.callFunction(resolveCallable("torch.nn.functional.gelu"), {plus});
        const NodeId item = graph.callFunction(resolveCallable("operator.getitem"), {gelu, 0});
        const NodeId view = graph.createNode(Op::CallMethod, "view", {item, -1});
        const NodeId mul = graph.callFunction(resolveCallable("torch.mul"), {x, scale});
        graph.output(Argument::tuple({view, aten, mul}));
        return net;
    }

    static QString supported(const GraphModule& net, const std::string& rules) {
        const RuleSupport support(SupportRules::parseText(rules), net);
        QStringList names;
        for (const Node& node : net.graph.nodes())
            if (support.isNodeSupported(*net.root, node)) names << QString::fromStdString(node.name());
        return names.join(' ');
    }

    static std::string errorOf(const std::string& rules) {
        try {
            (void)SupportRules::parseText(rules);
        } catch (const Error& error) { return error.where + ": " + error.what(); }
        return "no error";
    }

private Q_SLOTS:
    void glob_isFnmatch_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("matches");
        QTest::newRow("equal") << "relu"
                               << "relu" << true;
        QTest::newRow("case") << "Relu"
                              << "relu" << false;
        QTest::newRow("star") << "aten.*"
                              << "aten.add.Tensor" << true;
        QTest::newRow("star at both ends") << "*add*"
                                           << "aten.add.Tensor" << true;
        QTest::newRow("stars go back") << "*ab*ab"
                                       << "abxabab" << true;
        QTest::newRow("nothing for a star") << "relu*"
                                            << "relu" << true;
        QTest::newRow("question mark") << "relu_?"
                                       << "relu_1" << true;
        QTest::newRow("question mark is one") << "relu_?"
                                              << "relu_12" << false;
        QTest::newRow("question mark is a character") << "a?b" << QString::fromUtf8("aéb") << true;
        QTest::newRow("set") << "relu_[0-35]"
                             << "relu_5" << true;
        QTest::newRow("not in set") << "relu_[!0-3]"
                                    << "relu_2" << false;
        QTest::newRow("bracket first") << "[]]"
                                       << "]" << true;
        QTest::newRow("open bracket") << "[a"
                                      << "[a" << true;
        QTest::newRow("backslash is itself") << "a\\*"
                                             << "a\\bc" << true;
        QTest::newRow("the whole text") << "add"
                                        << "add_1" << false;
    }
    void glob_isFnmatch() {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(bool, matches);
        QCOMPARE(globMatches(pattern.toStdString(), text.toStdString()), matches);
    }

    void rule_namesNodes_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("names");
        const auto one = [](const char* name, const char* rule, const char* names) {
            QTest::newRow(name) << QString(R"({"supported": [%1]})").arg(rule) << names;
        };
        one("function", R"({"target": "torch.relu"})", "relu");
        one("operator", R"({"target": "operator.add"})", "add");
        one("operator, other spelling", R"({"target": "_operator.getitem"})", "getitem");
        one("aten", R"({"target": "aten.add.Tensor"})", "add_tensor");
        one("aten, other spelling", R"({"target": "torch.ops.aten.add.Tensor"})", "add_tensor");
        one("aten glob", R"({"target": "torch.ops.aten.*"})", "add_tensor");
        one("torch glob is not aten", R"({"target": "torch.*"})", "relu gelu mul");
        one("public name", R"({"target": "torch.nn.functional.gelu"})", "gelu");
        one("qualified name", R"({"target": "torch._C._nn.gelu"})", "gelu");
        one("method", R"({"op": "call_method", "target": "v*"})", "view");
        one("module path", R"({"target": "conv"})", "conv");
        one("module type", R"({"module_type": "torch.nn.Conv2d"})", "conv");
        one("module type, other spelling", R"({"module_type": "torch.nn.modules.conv.Conv2d"})", "conv");
        one("name", R"({"name": "[ag]*_t*"})", "add_tensor");
        one("all keys hold", R"({"op": "call_function", "target": "*", "name": "g*"})", "gelu getitem");
        one("dtype of the inputs", R"({"dtype": ["float32"]})", "conv add_tensor");
        one("dtypes of all inputs", R"({"dtype": ["torch.float32", "int8"]})", "scale conv add_tensor mul");
        one("everything", R"({"target": "*"})", "scale conv relu add add_tensor gelu getitem view mul");
        QTest::newRow("unsupported wins")
            << R"({"supported": [{"op": "call_function"}], "unsupported": [{"name": "g*"}]})"
            << "relu add add_tensor mul";
        QTest::newRow("only unsupported") << R"({"unsupported": [{"op": "call_function"}]})"
                                          << "scale conv view";
        QTest::newRow("any")
            << R"({"any": [{"supported": [{"target": "torch.relu"}]}, {"supported": [{"target": "view"}]}]})"
            << "relu view";
        QTest::newRow("all") << R"({"all": [{"supported": [{"op": "call_function"}]}, {"unsupported": [{"target": )"
                                R"("operator.*"}]}]})"
                             << "relu add_tensor gelu mul";
    }
    void rule_namesNodes() {
        QFETCH(QString, rules);
        QFETCH(QString, names);
        QCOMPARE(supported(model(), rules.toStdString()), names);
    }

    void malformedRules_tellThePlace_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("error");
        QTest::newRow("no rules") << "{}"
                                  << "line 1, column 1 ($): missing rules";
        QTest::newRow("key") << "{\n  \"suported\": []}"
                             << "line 2, column 15 ($.suported): unknown key 'suported' of rules";
        QTest::newRow("key of a rule") << "{\"supported\": [{\"traget\": 1}]}"
                                       << "line 1, column 27 ($.supported[0].traget): unknown key 'traget' of a rule";
        QTest::newRow("empty rule") << "{\"supported\": [{}]}"
                                    << "line 1, column 16 ($.supported[0]): the rule names nothing";
        QTest::newRow("dtype") << "{\"supported\": [{\"dtype\": [\"float33\"]}]}"
                               << "unknown dtype 'float33'";
        QTest::newRow("op") << "{\"supported\": [{\"op\": \"output\"}]}"
                            << "output nodes are never in a partition";
        QTest::newRow("no list") << "{\"supported\": {}}"
                                 << "$.supported";
        QTest::newRow("any with more") << "{\"any\": [], \"supported\": []}"
                                       << "'any' must be alone";
        QTest::newRow("nothing in any") << "{\"any\": []}"
                                        << "the list is empty and names nothing";
        QTest::newRow("no JSON") << "{\"supported\": [}"
                                 << "line 1, column 16";
        QTest::newRow("module type of a function")
            << "{\"supported\": [{\"op\": \"call_function\", \"module_type\": \"a\"}]}"
            << "only call_module nodes have a module type";
        QTest::newRow("profile") << "{\"profile\": \"cuda\"}"
                                 << "unknown profile 'cuda'";
    }
    void malformedRules_tellThePlace() {
        QFETCH(QString, rules);
        QFETCH(QString, error);
        const QString found = QString::fromStdString(errorOf(rules.toStdString()));
        QVERIFY2(found.contains(error), qPrintable(found));
    }

    void rulesWithoutEffect_areWarnedAbout() {
        const GraphModule net = model();
        const RuleSupport support(
            SupportRules::parseText(
                R"({"supported": [{"target": "torch.relu"}, {"target": "torch.tanh"}, {"dtype": ["bool"]}],
            "unsupported": [{"name": "relu"}]})"),
            net);
        QStringList texts;
        for (const Warning& warning : support.warnings())
            texts << QString::fromStdString(warning.what.text() + " | " + warning.where);
        QCOMPARE(texts.size(), 3);
        QCOMPARE(texts[0],
                 R"(the rule {"target": "torch.relu"} has no effect: "unsupported" names all of its nodes too, and )"
                 R"(wins | line 1, column 16 ($.supported[0]))");
        QCOMPARE(texts[1], R"(the rule {"target": "torch.tanh"} names no node of the model | line 1, column 42 )"
                           R"(($.supported[1]))");
        QVERIFY(texts[2].startsWith(R"(the rule {"dtype": ["bool"]} names no node of the model)"));
    }

    void refusal_saysWhichRule() {
        const GraphModule net = model();
        const RuleSupport support(
            SupportRules::parseText(
                R"({"supported": [{"op": "call_function"}], "unsupported": [{"target": "torch.relu"}]})"),
            net);
        const auto refusal = [&](const char* name) {
            return support.refusal(*net.root, net.graph.node(net.graph.find(name))).text();
        };
        QCOMPARE(refusal("relu"),
                 R"(unsupported by the rule {"target": "torch.relu"}, line 1, column 58 ($.unsupported[0]))");
        QCOMPARE(refusal("conv"), R"(no rule of "supported" names it, line 1, column 1 ($))");
        QCOMPARE(refusal("gelu"), "");
        QCOMPARE(support.supportedCount(), 5u);
    }

    void refusal_ofOtherDtypes_saysWhichRule() {
        const GraphModule net = model();
        const RuleSupport support(
            SupportRules::parseText(
                R"({"supported": [{"name": "nobody", "dtype": ["bool"]}, {"target": "torch.relu", "dtype": )"
                R"(["bool"]}]})"),
            net);
        const auto refusal = [&](const char* name) {
            return support.refusal(*net.root, net.graph.node(net.graph.find(name))).text();
        };
        QCOMPARE(refusal("relu"),
                 R"(the rule {"target": "torch.relu", "dtype": ["bool"]} is for other dtypes, or those of its )"
                 R"(inputs are unknown, line 1, column 55 ($.supported[1]))");
        QCOMPARE(refusal("gelu"), R"(no rule of "supported" names it, line 1, column 1 ($))");
    }

    void chain_isAll() {
        const GraphModule net = model();
        const auto relu = createOpSupport([](const Module&, const Node& node) { return node.name() == "relu"; },
                                          Message::received({}, {}, "no relu"));
        const auto notConv = createOpSupport([](const Module&, const Node& node) { return node.name() != "conv"; });
        const Node& reluNode = net.graph.node(net.graph.find("relu"));
        const Node& convNode = net.graph.node(net.graph.find("conv"));
        QVERIFY(chain({relu, notConv})->isNodeSupported(*net.root, reluNode));
        QVERIFY(!chain({relu, notConv})->isNodeSupported(*net.root, convNode));
        QCOMPARE(chain({relu, notConv})->refusal(*net.root, convNode).text(), "no relu");
        QVERIFY(chain({})->isNodeSupported(*net.root, convNode));
    }

    void table_checksTargetsAndDtypes() {
        const GraphModule net = model();
        OperatorSupport::Dtypes floats{{{"torch.float32"}, {"torch.float32"}}, {}}, bytes{{{"torch.int8"}}, {}};
        const OperatorSupport support(net.graph, {{"torch.nn.modules.conv.Conv2d", floats},
                                                  {"torch.relu", std::nullopt},
                                                  {"torch.ops.aten.add.Tensor", bytes}});
        const auto isSupported = [&](const char* name) {
            return support.isNodeSupported(*net.root, net.graph.node(net.graph.find(name)));
        };
        QVERIFY(isSupported("x"));
        QVERIFY(isSupported("scale"));
        QVERIFY(isSupported("output"));
        QVERIFY(isSupported("conv"));
        QVERIFY(isSupported("relu"));
        QVERIFY(!isSupported("add_tensor"));
        QVERIFY(!isSupported("view"));
    }
};

QTEST_APPLESS_MAIN(TestOperatorSupport)
#include "tst_operator_support.moc"

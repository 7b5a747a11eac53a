// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/match_condition.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Filters of matches: each condition, their combination, what is unknown, and what is refused.
class TestMatchCondition : public QObject {
    Q_OBJECT

    /// relu(x) * 2, relu_1(y) * 3, used twice; conv(x).relu(): a graph with a literal, a module and shapes.
    static GraphModule model() {
        GraphModule net = traceFunctionSource(
            "def f(x, y):\n    a = torch.relu(x) * 2\n    b = torch.relu(y) * 3.5\n    return a, b, b + 1\n");
        auto conv = std::make_shared<Module>();
        conv->className = "Conv2d";
        conv->classModule = "torch.nn.modules.conv";
        conv->attributes = {
            {"in_channels", Argument(3)}, {"out_channels", Argument(8)}, {"kernel_size", Argument::tuple({1, 1})}};
        net.root->children.push_back({"conv", conv});
        const NodeId output = net.graph.outputNode();
        net.graph.setInsertPoint({InsertPoint::Side::Before, output});
        const NodeId called = net.graph.createNode(Op::CallModule, "conv", {net.graph.find("x")});
        net.graph.setArgs(output, {Argument::tuple({net.graph.node(output).args()[0],
                                                    net.graph.createNode(Op::CallMethod, "relu", {called})})});
        setShape(net, "relu", "torch.float32", {"1", "3", "s77"});
        setShape(net, "relu_1", "torch.float16", {"2", "3"});
        return net;
    }
    static void setShape(GraphModule& net, const char* node, const char* dtype, std::vector<std::string> sizes) {
        NodeMeta meta;
        ValueInfo info;
        info.dtype = dtype;
        info.sizes = std::move(sizes);
        meta.values = {info};
        net.graph.setMeta(net.graph.find(node), std::make_shared<const NodeMeta>(meta));
    }
    /// "y n ?": the answer for each match, in order.
    static QString answers(const char* patternSource, const char* json) {
        const GraphModule net = model(), pattern = traceFunctionSource(patternSource);
        const MatchCondition condition = MatchCondition::parseText(json, pattern);
        QString text;
        for (const auto& match : SubgraphMatcher(pattern).match(net))
            text += "ny?"[static_cast<int>(condition.holds(match, net))];
        return text;
    }

private Q_SLOTS:
    void conditions_answerPerMatch_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("expected");
        const QByteArray scaled = "def p(x, s): return torch.relu(x) * s\n",
                         conv = "def p(x, c: nn.Conv2d): return c(x).relu()\n";
        const auto row = [](const QByteArray& pattern, const char* json, const char* expected) {
            QTest::newRow(json) << pattern << QByteArray(json) << QString(expected);
        };
        row(scaled, R"({"node": "s", "literal": 2})", "yn");
        row(scaled, R"({"node": "s", "literal": {"min": 2.5, "max": 4}})", "ny");
        row(scaled, R"({"node": "s", "literal": {"in": [1, 2, 3.5]}})", "yy");
        row(scaled, R"({"node": "x", "literal": 2})", "nn");
        row(scaled, R"({"node": "mul", "args": {"1": 2}})", "yn");
        row(scaled, R"({"node": "mul", "args": {"1": {"max": 1}}})", "nn");
        row(scaled, R"({"node": "mul", "args": {"dim": 2}})", "nn");
        row(scaled, R"({"node": "mul", "users": 2})", "ny");
        row(scaled, R"({"node": "mul", "users": {"max": 1}})", "yn");
        row(scaled, R"({"node": "relu", "name": "relu_*"})", "ny");
        row(scaled, R"({"node": "relu", "name": ["nothing", "relu"]})", "yn");
        row(scaled, R"({"node": "relu", "target": "torch.re?u", "op": "call_function"})", "yy");
        row(scaled, R"({"node": "x", "op": "placeholder", "target": "y"})", "ny");
        row(scaled, R"({"node": "relu", "dtype": "float16"})", "ny");
        row(scaled, R"({"node": "relu", "dtype": ["torch.float32", "torch.bfloat16"]})", "yn");
        row(scaled, R"({"node": "mul", "dtype": "float32"})", "??");
        row(scaled, R"({"node": "relu", "shape": [null, 3]})", "ny");
        row(scaled, R"({"node": "relu", "shape": [1, {"min": 2}, null]})", "yn");
        row(scaled, R"({"node": "relu", "shape": [1, 3, 7]})", "?n");
        row(scaled, R"({"node": "relu", "shape": [1, 3, "s77"]})", "yn");
        row(scaled, R"({"not": {"node": "mul", "dtype": "float32"}})", "??");
        row(scaled, R"({"not": {"node": "mul", "users": 2}})", "yn");
        row(scaled, R"({"all": [{"node": "mul", "dtype": "float32"}, {"node": "mul", "users": 2}]})", "n?");
        row(scaled, R"({"any": [{"node": "mul", "dtype": "float32"}, {"node": "mul", "users": 2}]})", "?y");
        row(scaled, R"({"any": []})", "nn");
        row(scaled, R"({"all": []})", "yy");
        row(conv, R"({"node": "c", "module_type": "torch.nn.Conv2d"})", "y");
        row(conv, R"({"node": "c", "module_type": "torch.nn.modules.conv.Conv?d"})", "y");
        row(conv, R"({"node": "c", "module_type": "torch.nn.Linear"})", "n");
        row(conv, R"({"node": "c", "settings": {"kernel_size": {"tuple": [1, 1]}, "out_channels": {"min": 8}}})", "y");
        row(conv, R"({"node": "c", "settings": {"kernel_size": {"tuple": [3, 3]}}})", "n");
        row(conv, R"({"node": "c", "target": "conv"})", "y");
    }
    void conditions_answerPerMatch() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, json);
        QFETCH(QString, expected);
        QCOMPARE(answers(pattern.constData(), json.constData()), expected);
    }

    void wrongConditions_areRefusedWithRemedy_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("hint");
        const auto row = [](const char* json, const char* hint) {
            QTest::newRow(json) << QByteArray(json) << QString(hint);
        };
        row(R"({"node": "relu", "usres": 1})", "users");
        row(R"({"node": "gelu", "users": 1})", "relu");
        row(R"({"users": 1})", "node");
        row(R"({"all": [], "node": "relu"})", "all");
        row(R"([])", "all");
        row(R"({"node": "relu", "users")", "");
        row(R"({"node": "relu", "shape": 3})", "");
        row(R"({"node": "relu", "name": 3})", "");
    }
    void wrongConditions_areRefusedWithRemedy() {
        QFETCH(QByteArray, json);
        QFETCH(QString, hint);
        const GraphModule pattern = traceFunctionSource("def p(x): return torch.relu(x)\n");
        try {
            (void)MatchCondition::parseText(json.toStdString(), pattern);
            QFAIL("taken");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString::fromStdString(error.hint).contains(hint), error.hint.c_str());
        }
    }

    void deepNesting_isRefused() {
        std::string json = R"({"node": "relu"})";
        for (int i = 0; i < 300; ++i) json = R"({"not": )" + json + "}";
        const GraphModule pattern = traceFunctionSource("def p(x): return torch.relu(x)\n");
        QVERIFY_THROWS_EXCEPTION(Error, MatchCondition::parseText(json, pattern));
    }

    void replacePatternStep_takesFilterAndRelax() {
        GraphModule net = model();
        const StepList recipe =
            parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "replace_pattern", "pattern": "def p(x, s): return )"
                        R"(torch.relu(x) * s\n",
            "replacement": "def r(x, s): return torch.neg(x)\n", "options": {"filter": {"node": "s", )"
                        R"("literal": 2}, "relax": ["users:relu"]}}]})");
        applySteps(net, recipe);
        QVERIFY(net.graph.find("neg") != kNoNode);
        QVERIFY(net.graph.find("neg_1") == kNoNode);
    }
};

QTEST_APPLESS_MAIN(TestMatchCondition)
#include "tst_match_condition.moc"

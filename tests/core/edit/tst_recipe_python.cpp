// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Scripts are run and compared in tests/oracle/recipes.py; here: what they look like, and what is refused.
class TestRecipePython : public QObject {
    Q_OBJECT

    static StepList recipe(const QByteArray& steps) {
        return parseRecipe(("{\"lancet_recipe\": 1, \"steps\": [" + steps + "]}").toStdString());
    }
    static GraphModule net() {
        return traceFunctionSource("def net(x, y):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    return b + y\n");
    }
    static QString script(const QByteArray& steps, std::string_view path = "net.pt") {
        return QString::fromStdString(recipePython(net(), recipe(steps), path));
    }

private Q_SLOTS:
    void step_isWrittenAsInTorchFx_data() {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QString>("text");
        QTest::newRow("insert")
            << QByteArray(R"({"step": "insert_after", "node": "relu", "op": "call_function", "target": )"
                          R"("operator.mul", "args": [{"node": "relu"}, 2.0], "name": "twice"})")
            << "    # 1. insert_after\n    with graph.inserting_after(node(\"relu\")):\n        new = "
               "graph.create_node(\"call_function\", operator.mul, (node(\"relu\"), 2.0), name=\"twice\")\n";
        QTest::newRow("method")
            << QByteArray(R"({"step": "insert_before", "node": "neg", "op": "call_method", "target": "exp", "args": )"
                          R"([{"node": "relu"}]})")
            << "graph.create_node(\"call_method\", \"exp\", (node(\"relu\"),))\n";
        QTest::newRow("cascade")
            << QByteArray(R"({"step": "set_output", "value": {"node": "x"}}, {"step": "erase", "node": "add", )"
                          R"("cascade": true})")
            << "    graph.erase_node(node(\"add\"))\n    graph.erase_node(node(\"neg\"))\n    "
               "graph.erase_node(node(\"relu\"))\n";
        QTest::newRow("module")
            << QByteArray(R"({"step": "add_module", "path": "a.b", "module": {"type": )"
                          R"("torch.nn.modules.linear.Linear", "settings": {"in_features": 2, "out_features": 3}}})")
            << "    torch.manual_seed(0)\n    gm.add_submodule(\"a.b\", torch.nn.Linear(in_features=2, "
               "out_features=3))\n";
        QTest::newRow("pattern")
            << QByteArray(R"x({"step": "replace_pattern", "pattern": "def p(x):\n    return torch.neg(x)", )x"
                          R"x("replacement": "def r(x): return -x"})x")
            << "def pattern_1():\n    def p(x):\n        return torch.neg(x)\n    return p\n";
        QTest::newRow("odd values") << QByteArray("{'step': 'set_args', 'node': 'neg', 'args': [{'repr': '-inf'}, "
                                                  "{'repr': '1+2j'}, 'a\\\\b', {'repr': 'torch.float16'}]}")
                                           .replace('\'', '"')
                                    << "(-inf, complex(1.0, 2.0), 'a\\\\b', torch.float16)";
    }
    void step_isWrittenAsInTorchFx() {
        QFETCH(QByteArray, step);
        QFETCH(QString, text);
        const QString written = script(step);
        QVERIFY2(written.contains(text), qPrintable(written));
    }

    void everyStep_hasPython_orIsRefusedBecauseOfItself() {
        for (const auto name : stepNames()) {
            try {
                script(QByteArray("{\"step\": \"") + QByteArray(name.data(), static_cast<qsizetype>(name.size())) +
                       "\"}");
            } catch (const Error& error) { QVERIFY2(!QString(error.what()).contains("no equivalent"), error.what()); }
        }
    }

    void refusal_saysWhichStep() {
        const QByteArray commutative =
            R"({"step": "lint"}, {"step": "replace_pattern", "pattern": "def p(x): return -x", "replacement": )"
            R"("def r(x): return x", "options": {"commutative": true}})";
        try {
            script(commutative);
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(error.message().is("python_script.step"), error.what());
            QCOMPARE(error.message().argument("number"), std::string("2"));
            QCOMPARE(error.message().argument("step"), std::string("replace_pattern"));
        }
        QVERIFY_THROWS_EXCEPTION(Error, script(R"({"step": "erase", "node": "relu"})"));
    }

    /// A script holds the text of a pattern, and runs what stands outside of its function.
    void patterns_thatAreMoreThanDefinitions_areRefused_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<bool>("isTaken");
        const auto row = [](const char* pattern, bool isTaken) {
            QTest::newRow(pattern) << QByteArray(pattern) << isTaken;
        };
        constexpr const char* kBody = "def p(x):\n    return torch.neg(x)";
        const auto with = [](const char* line) { return std::string(line) + "\n" + kBody; };
        for (const char* line :
             {"import os", "from os import system", "open('/tmp/a')", "if True:\n    print(1)", "a = eval('1')",
              "import torch as t\nt.load('a')", "from torch import *", "f = torch.load", "# \rimport os",
              "\uff45val('1')", "try:\n    pass\nexcept: pass", "@eval\ndef q(x): return x",
              "def q(x, y=exec('1')): return x", "class Q(exec('1')):\n    pass", "class Q:\n    exec('1')",
              "torch.a = 1", "a = [eval][0]('1')", "a = torch.__builtins__"})
            row(with(line).c_str(), false);
        row("def p(x):\n    torch.serialization.os.system('id')\n    return torch.neg(x)", false);
        for (const char* line :
             {"import torch", "import operator as op", "from torch import nn", "EPS = 1e-5", "\"\"\"Text.\"\"\"",
              "def helper(x, y: float = 2.0) -> torch.Tensor:\n    return x", "S = torch.tensor([1.0])"})
            row(with(line).c_str(), true);
    }
    void patterns_thatAreMoreThanDefinitions_areRefused() {
        QFETCH(QByteArray, pattern);
        QFETCH(bool, isTaken);
        const QJsonObject step{{"step", "replace_pattern"},
                               {"pattern", QString::fromUtf8(pattern.replace("def p(", "def pattern("))},
                               {"replacement", "def replacement(x): return -x"}};
        try {
            script(QJsonDocument(step).toJson());
            QVERIFY(isTaken);
        } catch (const Error& error) { QVERIFY2(!isTaken, error.what()); }
    }

    /// The script is code: what a recipe holds as a value cannot become more than that.
    void values_thatAreMore_areRefused() {
        const auto refused = [](const char* value) {
            try {
                script(QByteArray("{\"step\": \"set_args\", \"node\": \"neg\", \"args\": [") + value + "]}");
                return false;
            } catch (const Error& error) { return error.kind() == ErrorKind::Refused; }
        };
        for (const char* value : {"{\"symbolic\": \"__import__('os').system('id')\"}", "{\"symbolic\": \"a(1)\"}",
                                  "{\"symbolic\": \"1\\u000aid()\"}", "{\"device\": \"cpu')+str(exec('1'))+('\"}",
                                  "{\"dtype\": \"torch.os.system('id')\"}"})
            QVERIFY2(refused(value), value);
        for (const char* value :
             {"{\"symbolic\": \"s0 + 1\"}", "{\"device\": \"cuda\", \"index\": 1}", "{\"dtype\": \"torch.int8\"}"})
            QVERIFY2(!refused(value), value);
    }

    void defaultModel_isTheOneGiven() {
        QVERIFY(script("").contains("else \"net.pt\"\n"));
        QVERIFY(!script("", "-").contains(" else "));
    }
};

QTEST_APPLESS_MAIN(TestRecipePython)
#include "tst_recipe_python.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/print.h"
#include "core/passes/pass_manager.h"
#include "core/textpasses/text_pass.h"
#include "core/trace/function_source.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

class TstTextPass : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const QString& text) {
        QFile file(m_folder.filePath("p.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(("import operator\nimport torch\nfrom torch import fx\n" + text).toUtf8());
        return file.fileName().toStdString();
    }

    static GraphModule model() { return traceFunctionSource("def net(x):\n    return torch.relu(torch.neg(x)) + 1"); }

    std::vector<PassReport> run(GraphModule& model, const QString& text, const char* name = ":f") {
        PassManager manager;
        manager.addPass(textPass(file(text) + name));
        Warnings warnings;
        return manager.run(model, warnings);
    }

private Q_SLOTS:
    void function_editsWhileItIterates() {
        GraphModule model = TstTextPass::model();
        const auto reports = run(model, "def f(gm):\n"
                                        "    for node in gm.graph.nodes:\n"
                                        "        if node.op == 'call_function' and node.target is torch.relu:\n"
                                        "            with gm.graph.inserting_after(node):\n"
                                        "                new = gm.graph.call_function(torch.sigmoid, node.args)\n"
                                        "            node.replace_all_uses_with(new)\n"
                                        "            gm.graph.erase_node(node)\n"
                                        "    gm.recompile()\n");
        QVERIFY(reports.front().changed);
        const QString text = QString::fromStdString(graphText(model.graph));
        QVERIFY2(text.contains("%sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%neg,)"),
                 qPrintable(text));
        QVERIFY2(!text.contains("relu"), qPrintable(text));
    }

    void passWithoutEffect_isUnchanged() {
        GraphModule model = TstTextPass::model();
        QVERIFY(!run(model, "def f(gm):\n    return len(gm.graph.nodes)\n").front().changed);
    }

    void passBase_saysWhetherItChanged() {
        GraphModule model = TstTextPass::model();
        const QString text = "from torch.fx.passes.infra.pass_base import PassBase, PassResult\n"
                             "class P(PassBase):\n"
                             "    def call(self, graph_module):\n"
                             "        return PassResult(graph_module, %1)\n";
        QVERIFY(run(model, text.arg("True"), ":P").front().changed);
        QVERIFY(!run(model, text.arg("False"), "").front().changed);
    }

    void newGraph_becomesTheModels() {
        GraphModule model = TstTextPass::model();
        const std::string before = graphText(model.graph);
        run(model, "def f(gm):\n"
                   "    graph, env = fx.Graph(), {}\n"
                   "    for node in gm.graph.nodes:\n"
                   "        env[node] = graph.node_copy(node, lambda n: env[n])\n"
                   "    return fx.GraphModule(gm, graph)\n");
        QCOMPARE(graphText(model.graph), before);
    }

    void failure_leavesTheModel_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("where");
        const QString erase = "    for node in gm.graph.nodes:\n        if node.op == 'output':\n"
                              "            gm.graph.erase_node(node)\n";
        QTest::newRow("raise") << erase + "    raise ValueError('no')\n"
                               << "ValueError: no"
                               << "line 8";
        QTest::newRow("used") << "    gm.graph.erase_node(next(iter(gm.graph.nodes)))\n"
                              << "RuntimeError"
                              << "line 5";
        QTest::newRow("recursion") << "    f(gm)\n"
                                   << "RecursionError"
                                   << "line 5";
        QTest::newRow("endless") << erase + "    while True:\n        pass\n"
                                 << "steps"
                                 << "line ";
        QTest::newRow("unknown") << erase + "    gm.graph.no_such(1)\n"
                                 << "no attribute 'no_such'"
                                 << "line 8";
        QTest::newRow("lint") << "    last = list(gm.graph.nodes)[-1]\n    list(gm.graph.nodes)[1].prepend(last)\n"
                              << ""
                              << "";
    }
    void failure_leavesTheModel() {
        QFETCH(QString, body);
        QFETCH(QString, reason);
        QFETCH(QString, where);
        GraphModule model = TstTextPass::model();
        const std::string before = graphText(model.graph);
        try {
            run(model, "def f(gm):\n" + body);
            QFAIL("it passed");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromStdString(error.where).contains(where), error.where.c_str());
        }
        QCOMPARE(graphText(model.graph), before);
    }

    void check_seesACopy() {
        GraphModule model = TstTextPass::model();
        const std::string before = graphText(model.graph);
        textCheck(file("def f(gm):\n    gm.graph.call_function(torch.neg)\n") + ":f")(model);
        QCOMPARE(graphText(model.graph), before);
        QVERIFY_THROWS_EXCEPTION(Error, textCheck(file("def f(gm):\n    assert False, 'no'\n") + ":f")(model));
    }
};

QTEST_APPLESS_MAIN(TstTextPass)
#include "tst_text_pass.moc"

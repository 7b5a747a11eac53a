// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/print.h"
#include "core/passes/manager/pass_manager.h"
#include "core/python/tracing/trace_definition.h"
#include "core/textpasses/text_pass.h"
#include "tests/core/textpasses/text_pass_fixture.h"

#include <QtTest>

using namespace fx;

/// Passes in Python: their graphs and reports.
class TestTextPass : public TextPassFixture {
    Q_OBJECT

    /// Every relu becomes a sigmoid, with `list` around the nodes or not.
    static QString replacing(const char* nodes) {
        return QStringLiteral("def f(gm):\n"
                              "    for node in %1:\n"
                              "        if node.op == 'call_function' and node.target is torch.relu:\n"
                              "            with gm.graph.inserting_after(node):\n"
                              "                new = gm.graph.call_function(torch.sigmoid, node.args)\n"
                              "            node.replace_all_uses_with(new)\n"
                              "            gm.graph.erase_node(node)\n")
            .arg(QLatin1String(nodes));
    }
    static GraphModule reluModel() {
        return traceFunctionSource("def net(x):\n    return torch.relu(torch.relu(torch.neg(torch.relu(x))))");
    }

private Q_SLOTS:
    void decompositionRules_replaceFunctions() {
        GraphModule changed = model();
        run(changed, "def rule(x, inplace=False):\n    return (x > 0) * x\ndecomposition_rules = {torch.relu: rule}\n",
            "");
        const QString code = QString::fromStdString(generatePython(changed.graph).text);
        QVERIFY2(code.contains("gt = neg > 0\n    mul = gt * neg;"), qPrintable(code));
        QVERIFY(!code.contains("relu"));
    }

    void tracersOfThePass_decideLeafs() {
        GraphModule changed = model();
        const QString text = "class Named(fx.Tracer):\n"
                             "    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):\n"
                             "        name = 'own' if kind == 'call_function' else name\n"
                             "        return super().create_node(kind, target, args, kwargs, name, type_expr)\n"
                             "def f(gm):\n    return fx.GraphModule(gm, Named().trace(gm))\n";
        run(changed, text);
        const QString code = QString::fromStdString(generatePython(changed.graph).text);
        QVERIFY2(code.contains("own_1 = torch.relu(own);"), qPrintable(code));
    }

    void function_editsWhileItIterates() {
        GraphModule model = TextPassFixture::model();
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

    void mistakes_tellLineAndRemedy_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("hint");
        const QString walk = "def f(gm):\n    for node in list(gm.graph.nodes):\n"
                             "        if node.target is not torch.relu: continue\n";
        QTest::newRow("redirected itself") << walk + "        with gm.graph.inserting_after(node):\n"
                                                     "            new = gm.graph.call_function(torch.sin, (node,))\n"
                                                     "        node.replace_all_uses_with(new)\n    gm.recompile()\n"
                                           << "line 9, column 9"
                                           << "delete_user_cb=lambda user: user is not NEW, where NEW is 'sin'";
        QTest::newRow("redirected the first of two")
            << walk + "        with gm.graph.inserting_after(node):\n"
                      "            one = gm.graph.call_function(torch.sin, (node,))\n"
                      "        with gm.graph.inserting_after(one):\n"
                      "            two = gm.graph.call_function(torch.cos, (one,))\n"
                      "        node.replace_all_uses_with(two)\n    gm.graph.lint()\n"
            << "line 11, column 9"
            << "the arguments of 'sin' itself";
        QTest::newRow("inserted at the end") << walk + "        new = gm.graph.call_function(torch.sin, node.args)\n"
                                                       "        node.replace_all_uses_with(new)\n"
                                             << "line 7, column 15"
                                             << "create 'sin' before 'add'";
        QTest::newRow("inserted before its input")
            << walk + "        with gm.graph.inserting_before(node):\n"
                      "            new = gm.graph.call_function(torch.sin, (node,))\n"
                      "        node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n"
            << "line 8, column 19"
            << "create 'sin' after 'relu'";
        QTest::newRow("erased with users") << walk + "        gm.graph.erase_node(node)\n"
                                           << "line 7, column 9"
                                           << "node.replace_all_uses_with(...)";
        QTest::newRow("uses an erased node")
            << walk + "        node.replace_all_uses_with(node.args[0])\n        gm.graph.erase_node(node)\n"
                      "        last = gm.graph.output_node()\n        last.args = (node,)\n"
            << "line 10, column 9"
            << "'output' uses 'relu', which the pass has erased";
        QTest::newRow("loop that grows") << "def f(gm):\n    for node in gm.graph.nodes:\n"
                                            "        if node.target is torch.relu:\n"
                                            "            with gm.graph.inserting_after(node):\n"
                                            "                gm.graph.call_function(torch.relu, (node,))\n"
                                         << ""
                                         << "loop over list(graph.nodes)";
    }
    void mistakes_tellLineAndRemedy() {
        QFETCH(const QString, body);
        QFETCH(const QString, where);
        QFETCH(const QString, hint);
        GraphModule model = TextPassFixture::model();
        try {
            run(model, body);
            QFAIL("it passed");
        } catch (const Error& error) {
            if (!where.isEmpty()) QCOMPARE(QString::fromStdString(error.where), where);
            QVERIFY2(QString::fromStdString(error.hint).contains(hint), error.hint.c_str());
            QVERIFY(!error.source.empty());
        }
    }

    void missingRecompile_isWarnedOf_data() {
        QTest::addColumn<QString>("end");
        QTest::addColumn<bool>("isWarned");
        QTest::newRow("missing") << "" << true;
        QTest::newRow("called") << "    gm.recompile()\n" << false;
        QTest::newRow("called before the change") << "    gm.recompile(); node.target = torch.cos\n" << true;
        QTest::newRow("a new module") << "    return fx.GraphModule(gm, gm.graph)\n" << false;
    }
    void missingRecompile_isWarnedOf() {
        QFETCH(const QString, end);
        QFETCH(const bool, isWarned);
        GraphModule model = TextPassFixture::model();
        PassManager manager;
        manager.addPass(
            textPass(file("def f(gm):\n    node = gm.graph.find_nodes(op='call_function', target=torch.relu)[0]\n"
                          "    node.target = torch.sin\n" +
                          end) +
                     ":f"));
        Warnings warnings;
        manager.run(model, warnings);
        const auto isOfCode = [](const Warning& each) { return each.what.is("passes.no_recompile"); };
        QCOMPARE(std::any_of(warnings.begin(), warnings.end(), isOfCode), isWarned);
    }

    void passWithoutEffect_isUnchanged() {
        GraphModule model = TextPassFixture::model();
        QVERIFY(!run(model, "def f(gm):\n    return len(gm.graph.nodes)\n").front().changed);
    }

    /// Versions share what a pass leaves as it was.
    void untouchedModules_remainTheSame() {
        GraphModule model = TextPassFixture::model();
        const auto added = [&](const char* name) {
            const auto module = std::make_shared<Module>();
            module->className = "Module", module->classModule = "torch.nn.modules.module";
            model.root->children.push_back({name, module});
            return module;
        };
        const std::shared_ptr<Module> outer = added("outer"), other = added("other"), root = model.root;
        outer->children = {{"inner", std::make_shared<Module>(*outer)}};
        run(model, "def f(gm):\n    gm.graph.erase_node(gm.graph.call_function(torch.relu))\n");
        QVERIFY(model.root == root);
        run(model, "def f(gm):\n    gm.outer.inner.extra = 1\n");
        QVERIFY(model.root != root);
        QVERIFY(model.root->children[0].module != outer);
        QVERIFY(outer->children[0].module->attributes.empty());
        QVERIFY(model.root->children[1].module == other);
    }

    void passBase_saysWhetherItChanged() {
        GraphModule model = TextPassFixture::model();
        const QString text = "from torch.fx.passes.infra.pass_base import PassBase, PassResult\n"
                             "class P(PassBase):\n"
                             "    def call(self, graph_module):\n"
                             "        return PassResult(graph_module, %1)\n";
        QVERIFY(run(model, text.arg("True"), ":P").front().changed);
        QVERIFY(!run(model, text.arg("False"), "").front().changed);
    }

    void newGraph_becomesTheModels() {
        GraphModule model = TextPassFixture::model();
        const std::string before = graphText(model.graph);
        run(model, "def f(gm):\n"
                   "    graph, env = fx.Graph(), {}\n"
                   "    for node in gm.graph.nodes:\n"
                   "        env[node] = graph.node_copy(node, lambda n: env[n])\n"
                   "    return fx.GraphModule(gm, graph)\n");
        QCOMPARE(graphText(model.graph), before);
    }

    void ambiguousOverloads_raiseWhatTorchFxRaises() {
        GraphModule model = TextPassFixture::model();
        run(model,
            "from torch.fx.operator_schemas import normalize_function, normalize_module\n"
            "def said(what):\n"
            "    try:\n"
            "        return what()\n"
            "    except RuntimeError as error:\n"
            "        return str(error).split('\\n')\n"
            "def f(gm):\n"
            "    x = next(iter(gm.graph.nodes))\n"
            "    lines = said(lambda: normalize_function(torch.add, (x, 1)))\n"
            "    assert lines[0] == ('Tried to normalize arguments to torch._VariableFunctionsClass.add but the schema "
            "'\n"
            "                        'match was ambiguous! Please provide argument types to the normalize_arguments() "
            "'\n"
            "                        'call. Available schemas:'), lines[0]\n"
            "    tensor = '(input: torch.Tensor, other: torch.Tensor, *, alpha: numbers.Number = 1) -> torch.Tensor'\n"
            "    assert tensor in lines and '(a: List[~t], b: List[~t]) -> List[~t]' in lines, lines\n"
            "    lines = said(lambda: normalize_function(torch.max, (x, 1)))\n"
            "    dim = ('(input: torch.Tensor, dim: int, keepdim: bool = False) -> '\n"
            "           \"(<class 'torch.Tensor'>, <class 'torch.Tensor'>)\")\n"
            "    assert dim in lines, lines\n"
            "    assert isinstance(said(lambda: normalize_function(torch.ops.aten.mul, (x, 1))), list)\n"
            "    lines = said(lambda: normalize_module(gm, 'no.such', (x,)))\n"
            "    assert lines == ['Tried to normalize node with target no.such but root did not have that target!']\n"
            "    assert said(lambda: normalize_function(torch.relu, (x,))).args == (x,)\n");
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
        QTest::newRow("endless loop of a pass") << erase + "    from torch.fx.passes.pass_manager import loop_pass\n"
                                                           "    loop_pass(lambda g: g, predicate=lambda g: True)(gm)\n"
                                                << "steps"
                                                << "line ";
        QTest::newRow("expression that is none") << erase + "    import re\n    re.compile('(')\n"
                                                 << "error: missing closing parenthesis"
                                                 << "line 9";
        QTest::newRow("expression that tries too much")
            << erase + "    import re\n    re.match('(a|aa)+$', 'a' * 60 + 'b')\n"
            << "regular expression"
            << "line 9";
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
        GraphModule model = TextPassFixture::model();
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

    void watchedPass_hasARewriteForEachNode_data() {
        QTest::addColumn<QString>("nodes");
        for (const char* nodes : {"gm.graph.nodes", "list(gm.graph.nodes)", "reversed(gm.graph.nodes)"})
            QTest::newRow(nodes) << QString::fromLatin1(nodes);
    }
    void watchedPass_hasARewriteForEachNode() {
        QFETCH(QString, nodes);
        struct Names : PassInstrument {
            std::vector<std::string> at;
            std::vector<std::size_t> relus;
            bool beforeRewrite(const RewritePlace& rewrite, const GraphModule&) override {
                return at.push_back(rewrite.node), true;
            }
            void afterRewrite(const RewritePlace&, const GraphModule& model) override {
                std::size_t count = 0;
                for (const Node& node : model.graph.nodes()) count += node.target() == "torch.relu";
                relus.push_back(count);
            }
        } names;
        GraphModule model = reluModel();
        PassManager manager;
        manager.instruments = {&names};
        manager.addPass(textPass("unsaved.py:f", "import torch\n" + replacing(qPrintable(nodes)).toStdString()));
        Warnings warnings;
        QCOMPARE(manager.run(model, warnings).front().rewrites, 3u);
        QCOMPARE(names.at.size(), 3u);
        QVERIFY(names.relus == (std::vector<std::size_t>{2, 1, 0}));
        QCOMPARE(names.at.front(), std::string(nodes.startsWith("reversed") ? "relu_2" : "relu"));
    }

    void limitedPass_stopsAfterTheRewrites() {
        for (std::size_t limit = 0; limit < 4; ++limit) {
            RewriteLimit instrument(limit);
            GraphModule model = reluModel();
            PassManager manager;
            manager.instruments = {&instrument};
            manager.addPass(textPass(file(replacing("list(gm.graph.nodes)")) + ":f"));
            Warnings warnings;
            QCOMPARE(manager.run(model, warnings).front().rewrites, limit);
            QCOMPARE(static_cast<std::size_t>(QString::fromStdString(graphText(model.graph)).count("sigmoid]")), limit);
        }
    }

    void selection_isAllThatThePassSees() {
        GraphModule model = reluModel();
        PassManager manager;
        manager.selection = {"relu_1", "neg"};
        manager.addPass(textPass(file(replacing("gm.graph.nodes")) + ":f"));
        Warnings warnings;
        QVERIFY(manager.run(model, warnings).front().changed);
        const QString text = QString::fromStdString(graphText(model.graph));
        QVERIFY2(text.contains("%relu :"), qPrintable(text));
        QVERIFY2(text.contains("%relu_2 :"), qPrintable(text));
        QVERIFY2(!text.contains("%relu_1 :"), qPrintable(text));
    }

    void splitModule_callsTheCallback() {
        GraphModule model = TextPassFixture::model();
        run(model, "from torch.fx.passes.split_module import split_module\n"
                   "def f(gm):\n"
                   "    parts = {'neg': 0, 'relu': 1, 'add': 1}\n"
                   "    split = split_module(gm, None, lambda n: parts[n.name])\n"
                   "    assert [n.name for n in split.submod_1.graph.nodes][-1] == 'output'\n"
                   "    return split\n");
        const QString code = QString::fromStdString(generatePython(model.graph).text);
        QVERIFY2(code.contains("submod_1 = self.submod_1(submod_0)"), qPrintable(code));
    }

    void partitioners_askThePass() {
        GraphModule model = TextPassFixture::model();
        run(model, "from torch.fx.passes.operator_support import OperatorSupportBase\n"
                   "from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner\n"
                   "class Support(OperatorSupportBase):\n"
                   "    def is_node_supported(self, submodules, node):\n"
                   "        return node.op == 'call_function' and node.target is not operator.add\n"
                   "def f(gm):\n"
                   "    partitioner = CapabilityBasedPartitioner(gm, Support())\n"
                   "    parts = partitioner.propose_partitions()\n"
                   "    assert [sorted(n.name for n in p.nodes) for p in parts] == [['neg', 'relu']]\n"
                   "    return partitioner.fuse_partitions(parts)\n");
        const QString code = QString::fromStdString(generatePython(model.graph).text);
        QVERIFY2(code.contains("fused_0 = self.fused_0(x)"), qPrintable(code));
    }

    void operatorSupport_readsDtypes() {
        GraphModule model = TextPassFixture::model();
        run(model, "from torch.fx.passes.operator_support import OperatorSupport, OpSupports\n"
                   "def f(gm):\n"
                   "    relu = [n for n in gm.graph.nodes if n.op == 'call_function' and 'relu' in n.name][0]\n"
                   "    relu.all_input_nodes[0].meta['type'] = torch.float16\n"
                   "    modules = dict(gm.named_modules())\n"
                   "    target = list(OperatorSupport({})._support_dict)\n"
                   "    assert target == []\n"
                   "    assert not OpSupports.decline_if_input_dtype(torch.float16).is_node_supported(modules, relu)\n"
                   "    assert OpSupports.decline_if_input_dtype(torch.float32).is_node_supported(modules, relu)\n");
    }

    void findNodes_ofFunctionsNeedATarget() {
        GraphModule model = TextPassFixture::model();
        QVERIFY_THROWS_EXCEPTION(Error, run(model, "def f(gm):\n    gm.graph.find_nodes(op='call_function')\n"));
    }

    void nodes_areOrderedAsInTheGraph() {
        QCOMPARE(printed("def f(gm):\n"
                         "    nodes = list(gm.graph.nodes)\n"
                         "    print(nodes[0] < nodes[1], nodes[1] <= nodes[0], sorted(reversed(nodes)) == nodes)\n"
                         "    gm.meta['by'] = 'f'\n"
                         "    print(gm.meta)\n"),
                 (QStringList{"True False True", "{'by': 'f'}"}));
    }

    void insertingBeforeNothing_isAtTheStart() {
        GraphModule model = TextPassFixture::model();
        run(model, "def f(gm):\n"
                   "    with gm.graph.inserting_before():\n"
                   "        gm.graph.placeholder('lead')\n");
        QCOMPARE(model.graph.node(model.graph.first()).name(), std::string("lead"));
    }

    void replacementCallback_makesTheGraphOfEachMatch() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(torch.relu(x)) + 1");
        run(model, "from torch.fx.subgraph_rewriter import replace_pattern_with_filters\n"
                   "def f(gm):\n"
                   "    functions = [torch.tanh, torch.neg]\n"
                   "    def made(match, original, pattern):\n"
                   "        graph = fx.Graph()\n"
                   "        x = graph.placeholder('x')\n"
                   "        graph.output(graph.call_function(functions.pop(0), (x,)))\n"
                   "        assert original is gm.graph and len(match.anchors) == 1\n"
                   "        return graph\n"
                   "    found = replace_pattern_with_filters(gm, lambda x: torch.relu(x), replacement_callback=made)\n"
                   "    assert [str(each.replacements[0]) for each in found] == ['tanh', 'neg']\n");
        const QString code = QString::fromStdString(generatePython(model.graph).text);
        QVERIFY2(code.contains("tanh = torch.tanh(x);  x = None\n    neg = torch.neg(tanh);"), qPrintable(code));
        QVERIFY_THROWS_EXCEPTION(
            Error, run(model, "from torch.fx.subgraph_rewriter import replace_pattern_with_filters\n"
                              "def f(gm):\n    replace_pattern_with_filters(gm, lambda x: torch.neg(x))\n"));
    }

    void rootOfAGraph_isReadButNotChanged_data() {
        QTest::addColumn<QString>("line");
        for (const char* line :
             {"root.name = 'x'", "root.args = (1,)", "root.kwargs = {}", "root.target = 'x'", "root.op = 'output'",
              "root.type = int", "root.users", "root.update_arg(0, 1)", "root.replace_all_uses_with(n)",
              "n.replace_all_uses_with(root)", "gm.graph.erase_node(root)", "gm.graph.node_copy(root)", "root < n",
              "root.format_node()", "root.normalized_arguments(gm)", "n.args = (root,)", "n.append(root)"})
            QTest::newRow(line) << QString(line);
    }
    void rootOfAGraph_isReadButNotChanged() {
        QFETCH(QString, line);
        GraphModule model = TextPassFixture::model();
        const QString head = "def f(gm):\n    n = list(gm.graph.nodes)[0]\n    root = n.prev\n"
                             "    assert root.op == 'root' and root.next is n and root.args == ()\n";
        run(model, head);
        QVERIFY_THROWS_EXCEPTION(std::exception, run(model, head + "    " + line + "\n"));
    }

    void nameOfAnErasedNode_isSetWithoutItsGraph() {
        QCOMPARE(printed("def f(gm):\n    g = fx.Graph()\n    n, m = g.placeholder('n'), g.placeholder('m')\n"
                         "    g.erase_node(n)\n    n.name = 'z'\n    n.name = 'm'\n    m.name = 'k'\n"
                         "    print(n.name, m.name, g.placeholder('z'), g.placeholder('k'))\n"),
                 QStringList{"m k z k"});
    }

    void check_seesACopy() {
        GraphModule model = TextPassFixture::model();
        const std::string before = graphText(model.graph);
        textCheck(file("def f(gm):\n    gm.graph.call_function(torch.neg)\n") + ":f")(model);
        QCOMPARE(graphText(model.graph), before);
        QVERIFY_THROWS_EXCEPTION(Error, textCheck(file("def f(gm):\n    assert False, 'no'\n") + ":f")(model));
    }
};

QTEST_APPLESS_MAIN(TestTextPass)
#include "tst_text_pass.moc"

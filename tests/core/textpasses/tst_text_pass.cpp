// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/print.h"
#include "core/passes/manager/pass_manager.h"
#include "core/passes/tensor_engine.h"
#include "core/textpasses/text_pass.h"
#include "core/trace/function_source.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

/// Gives sevens for whatever is to be computed, and keeps what it was asked to run.
struct Sevens : TensorEngine {
    std::vector<GraphModule> asked;

    NodeShapes shapes(const GraphModule&) override { return {}; }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule&) override { return {}; }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override { return {}; }
    std::vector<ValueTree> values(const GraphModule& model) override {
        asked.push_back(model);
        std::vector<ValueTree> out;
        const Node& output = model.graph.node(model.graph.outputNode());
        for (std::size_t i = 0; i < output.args()[0].as<Sequence>()->items.size(); ++i)
            out.push_back(ValueTree::of(std::make_shared<const TensorRef>(vectorOf(7))));
        return out;
    }
    /// Two floats.
    static TensorRef vectorOf(float number) {
        TensorRef tensor;
        tensor.sizes = {2}, tensor.strides = {1};
        std::vector<std::byte> bytes(2 * sizeof(float));
        for (std::size_t i = 0; i < 2; ++i) std::memcpy(bytes.data() + i * sizeof(float), &number, sizeof(float));
        tensor.storage = Storage::inMemory(std::move(bytes));
        return tensor;
    }
};

/// Cannot take square roots.
struct Rootless : Sevens {
    const char* exception = "RuntimeError";
    std::vector<ValueTree> values(const GraphModule& model) override {
        for (const Node& node : model.graph.nodes())
            if (node.target() == "torch.sqrt")
                throw Error(ErrorKind::Run,
                            Message("engine.torch", {{"detail", "no roots"}, {"exception", exception}}));
        return Sevens::values(model);
    }
};

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

    std::vector<PassReport> run(GraphModule& model, const QString& text, const char* name = ":f",
                                TensorEngine* engine = nullptr) {
        PassManager manager;
        manager.engine = engine;
        manager.addPass(textPass(file(text) + name));
        Warnings warnings;
        return manager.run(model, warnings);
    }

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

    /// What a pass prints, an entry of the report each.
    QStringList printed(const QString& body) {
        GraphModule model = TstTextPass::model();
        QStringList lines;
        for (const PassReport& report : run(model, "import collections\nfrom typing import NamedTuple\n" + body))
            for (const auto& note : report.notes) lines << QString::fromStdString(note.what.text());
        return lines;
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

    void interpreters_doWhatDerivedClassesOverride() {
        GraphModule changed = model();
        const QString text = "class Tracer(fx.proxy.GraphAppendingTracer):\n"
                             "    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):\n"
                             "        return super().create_node(kind, target, args, kwargs, 'own', type_expr)\n"
                             "class T(fx.Transformer):\n"
                             "    def __init__(self, gm):\n"
                             "        super().__init__(gm)\n"
                             "        self.tracer = Tracer(self.new_graph)\n"
                             "        self.seen = []\n"
                             "    def map_nodes_to_values(self, args, n):\n"
                             "        self.seen.append(n.name)\n"
                             "        return super().map_nodes_to_values(args, n)\n"
                             "    def run_node(self, n):\n"
                             "        if n.target is torch.neg:\n"
                             "            return self.fetch_args_kwargs_from_env(n)[0][0]\n"
                             "        return super().run_node(n)\n"
                             "def f(gm):\n"
                             "    t = T(gm)\n"
                             "    made = t.transform()\n"
                             "    assert t.seen == [n.name for n in gm.graph.nodes for _ in range(2)], t.seen\n"
                             "    return made\n";
        run(changed, text);
        const QString code = QString::fromStdString(generatePython(changed.graph).text);
        QVERIFY2(code.contains("own = torch.relu(x);") && code.contains("own_1 = own + 1;"), qPrintable(code));
    }

    void interpreters_superOfEachOverrideIsTheirOwn() {
        QCOMPARE(printed("class T(fx.Transformer):\n"
                         "    def run(self, *args, **kwargs):\n"
                         "        print('run')\n"
                         "        return super().run(*args, **kwargs)\n"
                         "    def fetch_args_kwargs_from_env(self, n):\n"
                         "        args, kwargs = super().fetch_args_kwargs_from_env(n)\n"
                         "        print(n.name, len(args), kwargs)\n"
                         "        return args, kwargs\n"
                         "def f(gm):\n"
                         "    return T(gm).transform()\n"),
                 (QStringList{"run", "x 0 {}", "neg 1 {}", "relu 1 {}", "add 2 {}", "output 1 {}"}));
    }

    void closures_keepTheirNames_andDictsTheirOrder() {
        GraphModule changed = model();
        const QString text = "def adder(n):\n"
                             "    m = n + 1\n"
                             "    return lambda x: x + n + m\n"
                             "def counted():\n"
                             "    for i in range(3):\n"
                             "        yield i\n"
                             "def f(gm):\n"
                             "    adders = [adder(i) for i in range(5)]\n"
                             "    adder(100)\n"
                             "    assert [a(0) for a in adders] == [1, 3, 5, 7, 9]\n"
                             "    lazy = [(i * k for k in (1, 2)) for i in range(3)]\n"
                             "    assert [list(each) for each in lazy] == [[2, 4]] * 3\n"
                             "    assert list(zip(counted(), counted())) == [(0, 0), (1, 1), (2, 2)]\n"
                             "    d = {i: str(i) for i in range(12)}\n"
                             "    del d[3], d[11]\n"
                             "    d[3] = 'again'\n"
                             "    assert list(d) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 3] and len(d) == 11\n"
                             "    few = {1: 'a', True: 'b', 1.0: 'c', '1': 'd'}\n"
                             "    del few['1']\n"
                             "    assert few == {1: 'c'} and len(few) == 1 and '1' not in few\n";
        run(changed, text);
        QCOMPARE(changed.graph.size(), model().graph.size());
    }

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

    void regularExpressions_areThoseOfPython() {
        GraphModule model = TstTextPass::model();
        run(model,
            "import re\n"
            "def f(gm):\n"
            "    found = re.search(r'(?P<word>[a-z]+)(\\d)?', 'über relu2', re.ASCII)\n"
            "    assert found.span() == (1, 4) and found['word'] == 'ber' and found.groups() == ('ber', None)\n"
            "    assert re.findall(r'x*', 'axb') == ['', 'x', '', '']\n"
            "    assert re.sub(r'(\\w+) (?P<b>\\w+)', r'\\g<b>-\\1', 'one two') == 'two-one'\n"
            "    assert re.sub('(?P<a>.)(?P<b>.)', r'\\g<b>\\g<a>', 'xyz') == 'yxz'\n"
            "    assert 'abcabc'.rindex('b') == 4 and 'abcabc'.find('b', 2) == 4 and 'abc'.find('c', 0, 2) == -1\n"
            "    assert re.split(r'([_.])', 'a_b.c') == ['a', '_', 'b', '.', 'c']\n"
            "    assert re.fullmatch('a.c', 'A\\nC', re.I | re.S) and not re.match('a$', 'ab')\n"
            "    assert re.compile('a\\\\Z').search('a\\n') is None and re.escape('a.b') == 'a\\\\.b'\n"
            "    return gm\n");
    }

    void functions_haveTheTextsOfPython() {
        GraphModule model = TstTextPass::model();
        run(model,
            "import operator\n"
            "def f(gm):\n"
            "    assert str(torch.ops.aten.relu.default) == 'aten.relu.default'\n"
            "    assert repr(torch.ops.aten.relu.default) == \"<OpOverload(op='aten.relu', overload='default')>\"\n"
            "    assert str(torch.ops.aten.relu) == 'aten.relu' and str(operator.sub) == '<built-in function sub>'\n"
            "    assert f'{torch.sigmoid}'.startswith('<built-in method sigmoid of type object at 0x')\n"
            "    assert str(torch.nn.functional.relu).startswith('<function relu at 0x')\n");
    }

    void constantsOfTheModel_areReadFromItsTensors() {
        GraphModule model = tied();
        const auto scaled = std::make_shared<TensorRef>(*model.root->parameter("one")->tensor);
        scaled->isParameter = false;
        scaled->storage = Storage::expression("self.one * 2", scaled->storage->byteCount());
        model.root->attributes.emplace_back("scaled", TensorPtr(scaled));
        Sevens engine;
        run(model, "def f(gm):\n    gm.sum = torch.nn.Parameter(gm.scaled + gm.one)\n", ":f", &engine);
        QCOMPARE(engine.asked.size(), 2u); // the constant in its model, then the sum
        QVERIFY(engine.asked[0].root->parameter("one"));
        for (const Module::Slot& leaf : engine.asked[1].root->buffers) QVERIFY(!leaf.tensor->storage->isExpression());
    }

    /// A model with one parameter under two names.
    static GraphModule tied() {
        GraphModule model = TstTextPass::model();
        model.root = std::make_shared<Module>(*model.root);
        auto weight = std::make_shared<TensorRef>(Sevens::vectorOf(1));
        weight->isParameter = true;
        model.root->parameters = {{"one", weight}, {"other", weight}};
        return model;
    }

    void tensors_areComputedAtTheEnd_inOneProgram() {
        GraphModule model = tied();
        Sevens engine;
        run(model,
            "def f(gm):\n"
            "    assert gm.one is gm.other and len({gm.one, gm.other}) == 1 and gm.one.shape == (2,)\n"
            "    gm.sum = torch.nn.Parameter(gm.one * 2 + gm.other)\n",
            ":f", &engine);
        QCOMPARE(engine.asked.size(), 1u);
        QCOMPARE(engine.asked[0].root->buffers.size(), 1u);
        const Module::Slot* sum = model.root->parameter("sum");
        QVERIFY(sum && !sum->tensor->storage->isExpression());
        QCOMPARE(model.root->parameter("one")->tensor, model.root->parameter("other")->tensor);
    }

    void tensors_writtenInPlace_changeTheirTwins_andNothingElse() {
        const GraphModule before = tied();
        GraphModule model = before;
        Sevens engine;
        run(model, "def f(gm):\n    gm.one.data.add_(1)\n", ":f", &engine);
        const TensorPtr now = model.root->parameter("one")->tensor;
        QCOMPARE(now, model.root->parameter("other")->tensor);
        const TensorPtr old = before.root->parameter("one")->tensor;
        QVERIFY(now != old && now->storage != old->storage && old->isParameter && now->isParameter);
    }

    void tensors_areAskedForOnlyWhenNeeded() {
        GraphModule model = tied();
        Sevens engine;
        const auto reports = run(model, "def f(gm):\n    gm.one * 2\n", ":f", &engine);
        QVERIFY(engine.asked.empty() && !reports.front().changed);
        run(model, "def f(gm):\n    assert float((gm.one * 2).sum()) == 7\n", ":f", &engine);
        QCOMPARE(engine.asked.size(), 1u);
    }

    void tensors_failureBringsBackWhatWasWritten() {
        const GraphModule before = tied();
        GraphModule model = before;
        Sevens engine;
        QVERIFY_THROWS_EXCEPTION(Error, run(model,
                                            "def f(gm):\n    gm.one.data = gm.one * 3\n    gm.other.data.zero_()\n"
                                            "    assert gm.one.tolist() == []\n",
                                            ":f", &engine));
        QCOMPARE(model.root->parameter("one")->tensor, before.root->parameter("one")->tensor);
        float first = 0;
        model.root->parameter("one")->tensor->storage->read(0, std::as_writable_bytes(std::span(&first, 1)));
        QCOMPARE(first, 1.0F);
    }

    void failedComputation_isCaught_andLeavesNothing() {
        GraphModule model = tied();
        Rootless engine;
        run(model,
            "import contextlib\n"
            "def f(gm):\n"
            "    said, reached = '', False\n"
            "    try:\n"
            "        torch.sqrt(gm.one)\n"
            "        reached = True\n"
            "    except RuntimeError as error:\n"
            "        said = str(error)\n"
            "    assert said == 'no roots' and not reached\n"
            "    with contextlib.suppress(RuntimeError):\n"
            "        gm.other.data.add_(torch.sqrt(gm.one))\n"
            "        reached = True\n"
            "    assert not reached\n"
            "    gm.sum = torch.nn.Parameter(gm.one + gm.other)\n",
            ":f", &engine);
        QVERIFY(model.root->parameter("sum"));
    }

    void failedComputation_isAnExceptionOfItsClass_data() {
        QTest::addColumn<QString>("exception");
        QTest::addColumn<QString>("handler");
        QTest::addColumn<bool>("isCaught");
        QTest::newRow("index") << "IndexError"
                               << "IndexError" << true;
        QTest::newRow("derived") << "IndexError"
                                 << "LookupError" << true;
        QTest::newRow("unknown") << "LinAlgError"
                                 << "RuntimeError" << true;
        QTest::newRow("another") << "IndexError"
                                 << "RuntimeError" << false;
        QTest::newRow("none") << ""
                              << "Exception" << false;
    }
    void failedComputation_isAnExceptionOfItsClass() {
        QFETCH(QString, exception);
        QFETCH(QString, handler);
        QFETCH(bool, isCaught);
        const QByteArray name = exception.toUtf8();
        GraphModule model = tied();
        Rootless engine;
        engine.exception = name.constData();
        const QString text =
            "def f(gm):\n    try:\n        torch.sqrt(gm.one)\n    except " + handler + ":\n        pass\n";
        if (isCaught) {
            run(model, text, ":f", &engine);
            return;
        }
        try {
            run(model, text, ":f", &engine);
            QFAIL("it passed");
        } catch (const Error& error) {
            QCOMPARE(QString(error.what()), QString("pass f: no roots"));
            QVERIFY2(error.textPlace.line == 6 && error.where.starts_with("line 6"), error.where.c_str());
        }
    }

    void computationBeforeATry_isNotOfIt() {
        GraphModule model = tied();
        Rootless engine;
        QVERIFY_THROWS_EXCEPTION(Error, run(model,
                                            "def f(gm):\n    torch.sqrt(gm.one)\n    try:\n        gm.one * 2\n"
                                            "    except RuntimeError:\n        pass\n",
                                            ":f", &engine));
    }

    void writesInATry_areRunOnCopies_andStay() {
        GraphModule model = tied();
        Sevens engine;
        run(model,
            "def f(gm):\n    try:\n        gm.one.data.add_(1)\n    except RuntimeError:\n        assert False\n", ":f",
            &engine);
        QVERIFY(engine.asked.size() >= 2); // tried, then run
        for (const GraphModule& asked : engine.asked) {
            const std::string text = graphText(asked.graph);
            QVERIFY2(text.find("add_") == text.npos || text.find("target=clone") != text.npos, text.c_str());
        }
    }

    void ambiguousOverloads_raiseWhatTorchFxRaises() {
        GraphModule model = TstTextPass::model();
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
        QVERIFY2(text.contains("%relu :") && text.contains("%relu_2 :") && !text.contains("%relu_1 :"),
                 qPrintable(text));
    }

    void meta_hasTheShapesOfTheFileAndIsKept() {
        GraphModule model = TstTextPass::model();
        const NodeId relu = model.graph.next(model.graph.next(model.graph.first()));
        NodeMeta meta;
        meta.stackTrace = "line 3";
        meta.values = {ValueInfo{"torch.float16", {"2", "3"}, {"3", "1"}, "cpu", true, false}};
        model.graph.setMeta(relu, std::make_shared<const NodeMeta>(meta));
        run(model, "def f(gm):\n"
                   "    for node in list(gm.graph.nodes):\n"
                   "        if node.op == 'call_function' and node.target is torch.relu:\n"
                   "            val = node.meta['val']\n"
                   "            assert isinstance(val, torch.Tensor) and val.dtype is torch.float16\n"
                   "            assert tuple(val.shape) == (2, 3) and val.stride() == (3, 1) and val.numel() == 6\n"
                   "            assert str(val.device) == 'cpu' and node.stack_trace == 'line 3'\n"
                   "            with gm.graph.inserting_after(node):\n"
                   "                new = gm.graph.call_function(torch.abs, (node,), type_expr=torch.Tensor)\n"
                   "            new.meta = node.meta.copy()\n"
                   "            node.meta.pop('val')\n"
                   "            assert new.type is torch.Tensor and node.type is None\n");
        QVERIFY(model.graph.node(relu).meta().values.empty());
        const Node& made = model.graph.node(model.graph.next(relu));
        QCOMPARE(made.meta().stackTrace, std::string("line 3"));
        QCOMPARE(made.meta().values.at(0).shapeText(), std::string("2×3"));
        QCOMPARE(made.type()->repr(), std::string("torch.Tensor"));
    }

    void meta_hasSymbolicSizes() {
        GraphModule model = TstTextPass::model();
        NodeMeta meta;
        meta.values = {ValueInfo{"torch.float32", {"s77", "3"}, {"3", "1"}, "cpu", true, false}};
        model.graph.setMeta(model.graph.first(), std::make_shared<const NodeMeta>(meta));
        run(model, "def f(gm):\n"
                   "    first, second = list(gm.graph.nodes)[:2]\n"
                   "    val = first.meta['val']\n"
                   "    assert isinstance(val, torch.Tensor) and str(val.shape[0]) == 's77' and val.size(1) == 3\n"
                   "    assert isinstance(val.shape[0], torch.SymInt) and not isinstance(val.shape[0], int)\n"
                   "    second.meta['val'] = val\n"
                   "    first.meta['val'] = 'something else'\n");
        QVERIFY(model.graph.node(model.graph.first()).meta().values.empty());
        QCOMPARE(model.graph.node(model.graph.next(model.graph.first())).meta().values.at(0).sizes.at(0),
                 std::string("s77"));
    }

    void printedText_isPythons() {
        QCOMPARE(printed("def f(gm):\n"
                         "    widths = [6]\n"
                         "    print(f'|{\"ab\":>{widths[0]}}|{1.5:{widths[0]}.{len(widths)}f}|{\"k\"!r:<{2 + 3}}|')\n"),
                 QStringList{"|    ab|   1.5|'k'  |"});
        QCOMPARE(printed("def f(gm):\n"
                         "    print('', 'a', sep='-', end=';')\n"
                         "    print('b')\n"
                         "    print('c', end='')\n"),
                 (QStringList{"-a;b", "c"}));
    }

    void containers_printAsPythons() {
        QCOMPARE(printed("def f(gm):\n"
                         "    d = collections.OrderedDict(a=1, b=2)\n"
                         "    d.move_to_end('a')\n"
                         "    print(d, d.popitem(last=False), d, set(), frozenset({1}))\n"
                         "    d['c'] = 3\n"
                         "    d.move_to_end('c', last=False)\n"
                         "    print(list(d), collections.deque([1, 2], maxlen=3), collections.Counter('aab'))\n"),
                 (QStringList{"OrderedDict([('a', 1)]) ('b', 2) OrderedDict([('a', 1)]) set() frozenset({1})",
                              "['c', 'a'] deque([1, 2], maxlen=3) Counter({'a': 2, 'b': 1})"}));
    }

    void namedTuples_haveTheirMethods() {
        QCOMPARE(printed("class N(NamedTuple):\n    a: int\n    b: str = 'z'\n"
                         "def f(gm):\n"
                         "    n = N(1)._replace(a=2)\n"
                         "    print(n, n._asdict(), N._fields, N._make([3, 4]))\n"
                         "    print(collections.namedtuple('P', 'x y')(1, 2)._replace(y=5))\n"),
                 (QStringList{"N(a=2, b='z') {'a': 2, 'b': 'z'} ('a', 'b') N(a=3, b=4)", "P(x=1, y=5)"}));
    }

    void namedTuples_methodsNeedOne() {
        QCOMPARE(printed("class N(NamedTuple):\n    a: int\n"
                         "def f(gm):\n"
                         "    for method in (N._replace, N._asdict):\n"
                         "        try:\n            method(3)\n"
                         "        except (TypeError, AttributeError):\n            print('refused')\n"),
                 (QStringList{"refused", "refused"}));
    }

    void wrongCalls_areToldInPythonsOrder() {
        QCOMPARE(printed("def g(a): ...\n"
                         "def h(a, *, k): ...\n"
                         "def f(gm):\n"
                         "    for call in (lambda: g(b=1), lambda: h(1, 2, 3), lambda: g()):\n"
                         "        try:\n            call()\n"
                         "        except TypeError as e:\n            print(e)\n"),
                 (QStringList{"g() got an unexpected keyword argument 'b'",
                              "h() takes 1 positional argument but 3 were given",
                              "g() missing 1 required positional argument: 'a'"}));
    }

    void formatFields_mayHoldBraces() {
        QCOMPARE(printed("def f(gm):\n    print('{:{}>3}|{:{}}'.format('a', '{', 'b', 3))\n"), QStringList{"{{a|b  "});
    }

    void comprehensions_bindAroundThem() {
        QCOMPARE(printed("def f(gm):\n"
                         "    print([y := v * 2 for v in [1, 2]], y)\n"
                         "    print(any((m := v) > 1 for v in [1, 2, 3]), m)\n"
                         "    late = (next(late) for _ in [1, 2])\n"
                         "    try:\n        next(late)\n"
                         "    except ValueError as e:\n        print(e)\n"),
                 (QStringList{"[2, 4] 4", "True 2", "generator already executing"}));
    }

    void dataclasses_compareAndHash() {
        QCOMPARE(printed("import dataclasses\n"
                         "@dataclasses.dataclass(frozen=True, order=True)\n"
                         "class Edge:\n"
                         "    rank: int\n"
                         "    source: str = dataclasses.field(default='', compare=False)\n"
                         "@dataclasses.dataclass(eq=False)\n"
                         "class Thing:\n"
                         "    x: int = 1\n"
                         "def f(gm):\n"
                         "    edges = [Edge(2, 'a'), Edge(1, 'b')]\n"
                         "    print(min(edges), sorted(edges)[1], Edge(1) == edges[1], {Edge(2): 'found'}[edges[0]])\n"
                         "    print(Thing() == Thing())\n"),
                 (QStringList{"Edge(rank=1, source='b') Edge(rank=2, source='a') True found", "False"}));
    }

    void dictsOfModules_areTheModules() {
        GraphModule model = TstTextPass::model();
        run(model, "def f(gm):\n"
                   "    gm.body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Tanh())\n"
                   "    for name, child in gm.body._modules.items():\n"
                   "        if isinstance(child, torch.nn.ReLU):\n"
                   "            gm.body._modules[name] = torch.nn.Sigmoid()\n"
                   "    del gm.body._modules['1']\n"
                   "    assert gm.body._modules.pop('2') is not None\n"
                   "    gm._modules['last'] = torch.nn.Identity()\n"
                   "    with_place = gm.graph.call_module('body.0', (next(iter(gm.graph.nodes)),))\n");
        const auto body = model.root->child("body");
        QVERIFY(body && body->child("0"));
        QCOMPARE(body->child("0")->className, std::string("Sigmoid"));
        QVERIFY(!body->child("1") && !body->child("2"));
        QVERIFY(model.root->child("last"));
    }

    void json_writesAsPythons() {
        QCOMPARE(printed("import json, textwrap\n"
                         "def f(gm):\n"
                         "    print(json.dumps({'b': [1, 2.5, None, True], 'a': {}, 3: '\\n\u00e9'}))\n"
                         "    print(json.dumps({'b': [1], 'a': ()}, indent=1, sort_keys=True))\n"
                         "    print(textwrap.shorten('one two  three', 11), textwrap.shorten('one', 5))\n"),
                 (QStringList{"{\"b\": [1, 2.5, null, true], \"a\": {}, \"3\": \"\\n\\u00e9\"}",
                              "{\n \"a\": [],\n \"b\": [\n  1\n ]\n}", "one [...] one"}));
    }

    /// What no module is known for is not printed as if it were a value.
    void unknownModules_areRefused() {
        GraphModule model = TstTextPass::model();
        QVERIFY_THROWS_EXCEPTION(Error, run(model, "import fractions\ndef f(gm):\n    print(fractions.Fraction(1))\n"));
    }

    void modules_printAsPythons() {
        QCOMPARE(
            printed("from torch import nn\n"
                    "def f(gm):\n"
                    "    print(nn.Linear(2, 3, bias=False), nn.Sequential(nn.ReLU(inplace=True)))\n"
                    "    print(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))\n"
                    "    try:\n        gm.get_submodule('no.where')\n"
                    "    except AttributeError as e:\n        print(e)\n"),
            (QStringList{"Linear(in_features=2, out_features=3, bias=False) Sequential(\n  (0): ReLU(inplace=True)\n)",
                         "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)",
                         QString::fromStdString(TstTextPass::model().root->className) + " has no attribute `no`"}));
    }

    void splitModule_callsTheCallback() {
        GraphModule model = TstTextPass::model();
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
        GraphModule model = TstTextPass::model();
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
        GraphModule model = TstTextPass::model();
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

    void readableCode_standsInAClass() {
        GraphModule model = TstTextPass::model();
        run(model,
            "def f(gm):\n"
            "    text = gm.print_readable(print_output=False)\n"
            "    assert text.startswith(f'class {gm._get_name()}(torch.nn.Module):\\n    def forward(self'), text\n"
            "    assert '        # No stacktrace found for following nodes\\n' in text\n"
            "    assert type(gm).__module__ == 'torch.fx.graph_module'\n");
    }

    void abstractClasses_makeNoObjects() {
        QCOMPARE(printed("from abc import ABC, abstractmethod\n"
                         "class Base(ABC):\n"
                         "    @abstractmethod\n    def apply(self, gm): ...\n"
                         "class Derived(Base):\n"
                         "    def apply(self, gm): return 'applied'\n"
                         "def f(gm):\n"
                         "    try:\n        Base()\n"
                         "    except TypeError as e:\n        print(e)\n"
                         "    print(Derived().apply(gm))\n"),
                 (QStringList{"Can't instantiate abstract class Base with abstract method apply", "applied"}));
    }

    void metaclassesOfAbcMeta_checkToo() {
        QCOMPARE(printed("import abc\n"
                         "class Meta(abc.ABCMeta): ...\n"
                         "class Base(metaclass=Meta):\n"
                         "    @abc.abstractmethod\n    def apply(self): ...\n"
                         "def f(gm):\n"
                         "    try:\n        Base()\n"
                         "    except TypeError as e:\n        print(e)\n"),
                 QStringList{"Can't instantiate abstract class Base with abstract method apply"});
    }

    void exceptions_knowTheirCauses() {
        QCOMPARE(printed("def f(gm):\n"
                         "    try:\n"
                         "        try:\n            raise KeyError('k')\n"
                         "        except KeyError as e:\n            raise RuntimeError('wrapped') from e\n"
                         "    except RuntimeError as r:\n"
                         "        print(repr(r.__cause__), r.__context__ is r.__cause__, ValueError().__cause__)\n"),
                 QStringList{"KeyError('k') True None"});
    }

    void sizes_areShownAsSuch() {
        QCOMPARE(printed("def f(gm):\n"
                         "    weight = torch.nn.Linear(2, 3).weight\n"
                         "    print(weight.shape, tuple(weight.shape), isinstance(weight.shape, torch.Size))\n"
                         "    print(weight.shape == (3, 2), weight.size())\n"),
                 (QStringList{"torch.Size([3, 2]) (3, 2) True", "True torch.Size([3, 2])"}));
    }

    void findNodes_ofFunctionsNeedATarget() {
        GraphModule model = TstTextPass::model();
        QVERIFY_THROWS_EXCEPTION(Error, run(model, "def f(gm):\n    gm.graph.find_nodes(op='call_function')\n"));
    }

    void texts_areFormattedAsPythons() {
        QCOMPARE(
            printed("def f(gm):\n"
                    "    print('%-4s|%5.2f|%03d|%4r|%x' % ('a', 1.5, 7, 'q', 255))\n"
                    "    print('{0!r:>5}{1:+.1f}{x[0]}{y.op}{z[k]:>{w}}'.format('k', 3.0, x=[4], w=3, z={'k': 'v'},\n"
                    "          y=gm.graph.output_node()))\n"
                    "    print(f'{255:#x} {-5:b}', 'ab'.center(5, '*'), 'aB1'.swapcase(), 'x9'.isalnum())\n"),
            (QStringList{"a   | 1.50|007| 'q'|ff", "  'k'+3.04output  v", "0xff -101 **ab* Ab1 True"}));
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
        GraphModule model = TstTextPass::model();
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

    void className_isTheNameOfTheClass() {
        QCOMPARE(
            printed("import copy\n"
                    "def f(gm):\n"
                    "    named = fx.GraphModule(gm, gm.graph, 'Named')\n"
                    "    for each in (named, copy.copy(named), copy.deepcopy(named)):\n"
                    "        print(type(each).__name__, each._get_name(), isinstance(each, fx.GraphModule))\n"
                    "    print(type(fx.symbolic_trace(named)).__name__, [c.__name__ for c in type(named).__mro__])\n"),
            (QStringList{"Named Named True", "GraphModule GraphModule True", "GraphModule GraphModule True",
                         "Named ['Named', 'GraphModule', 'Module', 'object']"}));
    }

    void stateDict_hasTheNamesOfPyTorch() {
        QCOMPARE(printed("def f(gm):\n"
                         "    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))\n"
                         "    module.register_buffer('passing', torch.zeros(1), persistent=False)\n"
                         "    module.register_buffer('kept', torch.zeros(1))\n"
                         "    state = module.state_dict()\n"
                         "    print(list(state), state['0.weight'].shape)\n"
                         "    print(module.load_state_dict({}, strict=False).unexpected_keys)\n"
                         "    del state['0.bias'], state['kept']\n"
                         "    state['1.x'] = state['0.weight']\n"
                         "    try:\n        module[0].load_state_dict({'weight': torch.zeros(2), 'b.c': 1})\n"
                         "    except RuntimeError as e:\n        print(e)\n"),
                 (QStringList{"['kept', '0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var', "
                              "'1.num_batches_tracked'] torch.Size([3, 2])",
                              "[]",
                              "Error(s) in loading state_dict for Linear:\n"
                              "\tMissing key(s) in state_dict: \"bias\". \n"
                              "\tUnexpected key(s) in state_dict: \"b.c\". \n"
                              "\tsize mismatch for weight: copying a param with shape torch.Size([2]) from checkpoint, "
                              "the shape in current model is torch.Size([3, 2])."}));
    }

    void fusion_isComputedByTheWorker() {
        GraphModule model = TstTextPass::model();
        Sevens engine;
        run(model,
            "from torch.nn.utils.fusion import fuse_conv_bn_eval\n"
            "def f(gm):\n"
            "    conv, bn = torch.nn.Conv2d(1, 2, 1, bias=False).eval(), torch.nn.BatchNorm2d(2).eval()\n"
            "    try:\n        fuse_conv_bn_eval(conv, torch.nn.BatchNorm2d(2))\n        assert False\n"
            "    except AssertionError as e:\n        assert str(e) == 'Fusion only for eval!'\n"
            "    gm.add_submodule('fused', torch.nn.utils.fuse_conv_bn_eval(conv, bn))\n",
            ":f", &engine);
        const auto fused = model.root->child("fused");
        QVERIFY(fused && fused->parameter("weight") && fused->parameter("bias"));
        QVERIFY(fused->parameter("bias")->tensor);
        bool takesRoot = false;
        for (const GraphModule& asked : engine.asked)
            for (const Node& node : asked.graph.nodes()) takesRoot |= node.target() == "torch.rsqrt";
        QVERIFY(takesRoot);
    }

    void functionsOfNumbers_areComputedOrRefused() {
        QCOMPARE(printed("import math\n"
                         "def f(gm):\n"
                         "    made = fx.Proxy(gm.graph.find_nodes(op='placeholder')[0])\n"
                         "    print(math.factorial(3), isinstance(math.sqrt(made), fx.Proxy))\n"),
                 QStringList{"6 True"});
        GraphModule model = TstTextPass::model();
        try {
            run(model, "import math\ndef f(gm):\n    math.isclose(1.0, 1.0, rel_tol=0.1)\n");
            QFAIL("it was recorded");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("math.isclose"), error.what());
            QVERIFY2(error.textPlace.line == 6 && error.where.starts_with("line 6"), error.where.c_str());
        }
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

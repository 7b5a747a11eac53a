// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/passes/tensor_engine.h"
#include "tests/core/textpasses/text_pass_fixture.h"

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

/// Values that a pass computes: in one program at its end, or in time for what depends on them.
class TestTextPassTensors : public TextPassFixture {
    Q_OBJECT

    /// A model with one parameter under two names.
    static GraphModule tied() {
        GraphModule model = TextPassFixture::model();
        model.root = std::make_shared<Module>(*model.root);
        auto weight = std::make_shared<TensorRef>(Sevens::vectorOf(1));
        weight->isParameter = true;
        model.root->parameters = {{"one", weight}, {"other", weight}};
        return model;
    }

private Q_SLOTS:
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
        QVERIFY(sum);
        QVERIFY(!sum->tensor->storage->isExpression());
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
        QVERIFY(now != old);
        QVERIFY(now->storage != old->storage);
        QVERIFY(old->isParameter);
        QVERIFY(now->isParameter);
    }

    void tensors_areAskedForOnlyWhenNeeded() {
        GraphModule model = tied();
        Sevens engine;
        const auto reports = run(model, "def f(gm):\n    gm.one * 2\n", ":f", &engine);
        QVERIFY(engine.asked.empty());
        QVERIFY(!reports.front().changed);
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
            QVERIFY2(error.textPlace.line == 6, error.where.c_str());
            QVERIFY2(error.where.starts_with("line 6"), error.where.c_str());
        }
    }

    void computationBeforeATry_isNotOfIt() {
        GraphModule model = tied();
        Rootless engine;
        QVERIFY_THROWS_EXCEPTION(Error, run(model,
                                            "def f(gm):\n    torch.sqrt(gm.one)\n    try:\n        torch.sinh(gm.one)\n"
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

    void meta_hasTheShapesOfTheFileAndIsKept() {
        GraphModule model = TextPassFixture::model();
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
        GraphModule model = TextPassFixture::model();
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
        GraphModule model = TextPassFixture::model();
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
        QVERIFY(fused);
        QVERIFY(fused->parameter("weight"));
        QVERIFY(fused->parameter("bias"));
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
        GraphModule model = TextPassFixture::model();
        try {
            run(model, "import math\ndef f(gm):\n    math.isclose(1.0, 1.0, rel_tol=0.1)\n");
            QFAIL("it was recorded");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("math.isclose"), error.what());
            QVERIFY2(error.textPlace.line == 6, error.where.c_str());
            QVERIFY2(error.where.starts_with("line 6"), error.where.c_str());
        }
    }

    /// In this process, without the limits of a reader. A row uses up the steps of a pass: where that takes minutes,
    /// the fastest stands for all.
    void valuesThatDouble_areStopped_data() {
        QTest::addColumn<QString>("line");
        QTest::newRow("slices") << "a = slice(1, 2)\n    for i in range(40): a = slice(a, a, a)\n    n.args = (a,)";
        if (LANCET_SLOWNESS > 1) return;
        QTest::newRow("args") << "n.args = (a,)";
        QTest::newRow("kwargs") << "n.kwargs = {'x': a}";
        QTest::newRow("call_function") << "gm.graph.call_function(torch.add, (a, 1))";
        QTest::newRow("output") << "gm.graph.output(a)";
        QTest::newRow("settings") << "torch.nn.ReLU(a)";
        QTest::newRow("dicts") << "a = 1\n    for i in range(40): a = {1: a, 2: a}\n    n.args = (a,)";
        QTest::newRow("nodes") << "a = n\n    for i in range(40): a = [a, a]\n    n.args = (a,)";
        QTest::newRow("modules") << "import copy\n    for i in range(40): gm.add_module(f'm{i}', copy.deepcopy(gm))";
    }
    void valuesThatDouble_areStopped() {
        QFETCH(QString, line);
        qputenv("LANCET_SOURCE_MEMORY", "128"); // filling the usual limit takes ten seconds in programs for tests
        const auto usual = qScopeGuard([] { qunsetenv("LANCET_SOURCE_MEMORY"); });
        GraphModule model = TextPassFixture::model();
        const std::string before = graphText(model.graph);
        QVERIFY_THROWS_EXCEPTION(
            Error, run(model, "def f(gm):\n    n = gm.graph.find_nodes(op='call_function', target=torch.relu)[0]\n"
                              "    a = (1,)\n    for i in range(40): a = (a, a)\n    " +
                                  line + "\n"));
        QCOMPARE(graphText(model.graph), before);
    }
};

QTEST_APPLESS_MAIN(TestTextPassTensors)
#include "tst_text_pass_tensors.moc"

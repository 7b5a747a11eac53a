// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/source_files.h"

#include <QtTest>

using namespace fx;

/// What the interpreter follows in constructors and in `forward`.
class TestFollowedCode : public QObject, protected SourceFiles {
    Q_OBJECT

private Q_SLOTS:
    void hooksOfCalledModules_areTold() {
        const auto file = write("hooked.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                                             "        super().__init__()\n"
                                             "        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
                                             "        self.b.register_forward_pre_hook(lambda module, args: args)\n"
                                             "    def forward(self, x): return self.b(self.a(self.b(x)))\n");
        const auto model = traceFile(file, {}, {});
        QCOMPARE(model->warnings.size(), std::size_t{1});
        QVERIFY(model->warnings[0].what.is("trace.hooks_left_out"));
        QCOMPARE(model->warnings[0].modulePath, std::string("b"));
        QCOMPARE(model->warnings[0].what.argument("count"), std::string("1"));
    }

    void hooksOfNormalisedWeights_areKept() {
        const auto file = write("normalised.py", "from torch import nn\nfrom torch.nn.utils import weight_norm\n"
                                                 "class Net(nn.Module):\n    def __init__(self):\n"
                                                 "        super().__init__()\n"
                                                 "        self.a = weight_norm(nn.Linear(2, 2))\n"
                                                 "    def forward(self, x): return self.a(x)\n");
        const auto model = traceFile(file, {}, {});
        QVERIFY(model->warnings.empty());
        const auto* hooks = model->root->child("a")->attribute("_forward_pre_hooks");
        QVERIFY(hooks);
        QCOMPARE(reprOf(model->graph, std::get<Argument>(*hooks)),
                 std::string("{0: ('torch.nn.utils.weight_norm.WeightNorm', {'name': 'weight', 'dim': 0})}"));
    }

    void hooksOfClasses_run() {
        const auto file =
            write("hooks.py", "from torch import nn\nknown = {}\n"
                              "class Base(nn.Module):\n    def __init_subclass__(cls, name=None):\n"
                              "        known[name] = cls\n"
                              "class Twice:\n    def __set_name__(self, owner, name): self.name = '_' + name\n"
                              "    def __get__(self, one, owner): return getattr(one, self.name) * 2\n"
                              "    def __set__(self, one, value): setattr(one, self.name, value)\n"
                              "class A(Base, name='a'):\n    wide = Twice()\n    def __init__(self):\n"
                              "        super().__init__()\n        self.wide = 3\n"
                              "    def forward(self, x): return x + self.wide\n"
                              "def make(): return known['a']()\n");
        SourceOptions options;
        options.name = "make()";
        const auto made = traceFile(file, options, {});
        QVERIFY(graphText(made->graph).find("args = (%x, 6)") != std::string::npos);
    }

    void generators_runBetweenTheStatementsOfTheirUser_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        QTest::newRow("loop") << "    def g():\n        yield x.relu()\n        yield x.abs()\n"
                                 "    for y in g():\n        x = y.neg()\n    return x\n"
                              << "relu=relu neg=neg abs_1=abs neg_1=neg";
        QTest::newRow("left early") << "    def g():\n        yield x.relu()\n        yield x.abs()\n"
                                       "    return next(g())\n"
                                    << "relu=relu";
        QTest::newRow("send and return") << "    def g():\n        y = yield x.relu()\n        return y.abs()\n"
                                            "    def outer():\n        z = yield from g()\n        yield z.exp()\n"
                                            "    it = outer()\n    y = next(it)\n    return it.send(y.neg())\n"
                                         << "relu=relu neg=neg abs_1=abs exp=exp";
        QTest::newRow("throw") << "    def g():\n        try:\n            yield x.relu()\n"
                                  "        except ValueError:\n            yield x.abs()\n"
                                  "        finally:\n            x.exp()\n"
                                  "    it = g()\n    next(it)\n    y = it.throw(ValueError())\n"
                                  "    it.close()\n    return y.neg()\n"
                               << "relu=relu abs_1=abs exp=exp neg=neg";
        QTest::newRow("context") << "    with scaled(x) as y:\n        z = y.neg()\n    return z.exp()\n"
                                 << "relu=relu neg=neg abs_1=abs exp=exp";
        QTest::newRow("itertools") << "    it = itertools.chain((x.relu() for _ in range(1)), [x])\n"
                                      "    for y in itertools.islice(it, 2):\n        y.neg()\n    return x\n"
                                   << "relu=relu neg=neg neg_1=neg";
        QTest::newRow("cache") << "    @functools.lru_cache(None)\n    def f(n): return x.relu()\n"
                                  "    return f(1) + f(1)\n"
                               << "relu=relu add=_operator.add";
    }
    void generators_runBetweenTheStatementsOfTheirUser() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const std::string text = "import contextlib, functools, itertools\n@contextlib.contextmanager\n"
                                 "def scaled(x):\n    try:\n        yield x.relu()\n    finally:\n        x.abs()\n"
                                 "def f(x):\n" +
                                 body.toStdString();
        const auto file = write("generators.py", text.c_str());
        SourceOptions options;
        options.name = "f";
        QCOMPARE(nodes(*traceFile(file, options, {})), expected);
    }

    void numbersOfSplitTensors_areKnownWithoutAWorker() {
        const auto file =
            write("rates.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                              "        super().__init__()\n"
                              "        rates = [r.tolist() for r in torch.linspace(0, 3, 4).split((1, 3))]\n"
                              "        self.last = rates[1][2]\n    def forward(self, x): return x * self.last\n");
        QVERIFY(graphText(traceFile(file, {}, {})->graph).find("args = (%x, 3.0)") != std::string::npos);
    }

    void stubsAndSubclassesOfLayers_areFollowed() {
        const auto file =
            write("stub.py", "from torch import nn\nfrom torch.ao.quantization import QuantStub\n"
                             "class Own(nn.Linear):\n    pass\nclass Net(nn.Module):\n    def __init__(self):\n"
                             "        super().__init__()\n        self.q = QuantStub()\n        self.own = Own(2, 2)\n"
                             "    def forward(self, x): return self.own(self.q(x))\n");
        SourceOptions options;
        options.name = "Net";
        const auto made = traceFile(file, options, {});
        QVERIFY(nodes(*made).endsWith("linear=torch._C._nn.linear"));
        QVERIFY(!nodes(*made).contains("q="));
    }

    void statementsOnOneLine_allRun() {
        const auto file =
            write("net.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                            "        super().__init__(); self.a = nn.ReLU(); self.b = nn.Tanh()\n"
                            "    def forward(self, x):\n        y = self.a(x); z = self.b(y); return z\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "a=a b=b");
    }

    void numpyRandom_drawsAsNumpy() {
        const auto file = write("net.py", "import numpy as np\nnp.random.seed(7)\n"
                                          "A = [int(n) for n in np.random.randint(0, 100, size=4)]\n"
                                          "B = [int(n) for n in np.random.permutation(6)]\n"
                                          "C = 0.0 < np.random.rand() < 1.0\n"
                                          "def f(x):\n    return x.view(A).permute(B) if C else x\n"
                                          "def unseeded(x):\n    np.random.seed()\n    return x + np.random.rand()\n");
        SourceOptions options;
        options.name = "f";
        const std::string code = generatePython(*traceFile(file, options, {})).text;
        QVERIFY(code.find("x.view([47, 68, 25, 67])") != std::string::npos); // as NumPy draws them
        QVERIFY(code.find(".permute([0, 5, 2, 1, 4, 3])") != std::string::npos);
        options.name = "unseeded";
        QVERIFY_THROWS_EXCEPTION(Error, traceFile(file, options, {}));
    }

    void resetParameters_isThereWhereWeightsAreDrawn() {
        const auto file =
            write("net.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                            "        super().__init__(); self.all = nn.Sequential(nn.PReLU(), nn.Linear(2, 2))\n"
                            "        for each in [*self.all, nn.LSTM(2, 3), nn.GRUCell(2, 3), "
                            "nn.Bilinear(2, 2, 2)]:\n            each.reset_parameters()\n"
                            "    def forward(self, x): return self.all(x)\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "all_0=all.0 all_1=all.1");
    }

    void tensorArithmetic_inConstructors_givesSettings() {
        const auto file =
            write("net.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                            "    def __init__(self):\n        super().__init__()\n"
                            "        wide = torch.round(torch.pow(2.5, torch.arange(3) * 1.5 + 1) / 8) * 8\n"
                            "        self.widths = wide.int().tolist()\n"
                            "        self.steps = [each.item() for each in torch.linspace(0, 0.1, 4)]\n"
                            "    def forward(self, x):\n"
                            "        return x.view(self.widths), self.steps\n");
        const auto made = traceFile(file, {}, {});
        QStringList arguments;
        for (const Node& node : made->graph.nodes())
            if (node.op() == Op::CallMethod || node.op() == Op::Output)
                arguments << QString::fromStdString(argsRepr(made->graph, node));
        QCOMPARE(arguments.join(' '), "(x, [0, 8, 40]) ((view, [0.0, 0.03333333507180214, 0.06666666269302368, "
                                      "0.10000000149011612]),)");
    }

    void namedTuples_areConstructedByANode() {
        const auto file = write("net.py", "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\n"
                                          "def f(x):\n    return Pair(x + 1, b=x)\n");
        SourceOptions options;
        options.name = "f";
        QCOMPARE(nodes(*traceFile(file, options, {})), "add=_operator.add pair=net.Pair");
    }

    void floatFunctional_recordsWhatItsMethodsDo() {
        const auto file = write("net.py", "from torch import nn\nclass Net(nn.Module):\n"
                                          "    def __init__(self):\n        super().__init__()\n"
                                          "        self.skip = nn.quantized.FloatFunctional()\n"
                                          "    def forward(self, x):\n        return self.skip.add_relu(x, x)\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "add=torch.add relu=torch.nn.functional.relu "
                                                  "skip_activation_post_process=skip.activation_post_process");
    }

    void shapesOnly_drawsWhereValuesDecide() {
        const auto file = write("net.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                          "    def __init__(self):\n        super().__init__()\n"
                                          "        self.linear = nn.Linear(2, 2)\n"
                                          "        self.high = self.linear.bias.tolist()[0] > 10\n"
                                          "    def forward(self, x):\n"
                                          "        return x - 1 if self.high else self.linear(x)\n");
        SourceOptions options;
        options.weights = NewWeights::ShapesOnly;
        QCOMPARE(nodes(*traceFile(file, options, {})), "linear=linear");
    }

    void flags_areJoinedAndListed() {
        const auto file = write("net.py", "import enum\nclass F(enum.Flag):\n    A = enum.auto()\n    B = enum.auto()\n"
                                          "    C = enum.auto()\n    BOTH = A | B\n"
                                          "def f(x):\n"
                                          "    both = F.A | F.B\n"
                                          "    assert both is F.BOTH and F.B in both and not both & F.C\n"
                                          "    return x + both.value, x * len(F), x - len(list(~F.A))\n");
        const std::string text = textOfFunction(file);
        for (const char* part : {"add](args = (%x, 3)", "mul](args = (%x, 3)", "sub](args = (%x, 2)"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void patterns_bindWhatIsLeft() {
        const auto file =
            write("net.py", "def f(x):\n"
                            "    match {'kind': 'a', 'k': 2}:\n"
                            "        case {'kind': 'a', **rest}: x = x * rest['k']\n"
                            "    match [1, 2, 3, 4]:\n"
                            "        case [first, *middle, last]: return x + (len(middle) * 10 + last)\n");
        const std::string text = textOfFunction(file);
        for (const char* part : {"mul](args = (%x, 2)", "add](args = (%mul, 24)"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void constantsMadeOfConstants_areExpressions() {
        const auto file = write("net.py", "import torch\ndef f(x):\n    return x + torch.eye(3).flatten()\n");
        SourceOptions options;
        options.name = "f";
        const auto made = traceFile(file, options, {});
        const auto* constant = made->root->buffer("_tensor_constant0");
        QVERIFY(constant);
        QVERIFY(constant->tensor->storage->isExpression());
        QCOMPARE(constant->tensor->storage->expressionSource(), std::string("torch.eye(3).flatten()"));
    }
};

QTEST_GUILESS_MAIN(TestFollowedCode)
#include "tst_followed_code.moc"

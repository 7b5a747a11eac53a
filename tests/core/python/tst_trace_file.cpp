// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_file.h"

#include "core/codegen/pytree_code.h"
#include "core/diag/error.h"
#include "core/ir/ph.h"
#include "core/ir/print.h"
#include "core/python/tracing/source_scopes.h"

#include <QtTest>

using namespace fx;

/// Python files as models. Graphs, code and weights are compared with torch.fx in tests/oracle/traces.py.
class TestTraceFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char* name, const char* text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }
    static QString nodes(const GraphModule& model) {
        QStringList words;
        for (const Node& node : model.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output)
                words << QString::fromStdString(node.name() + "=" + node.target());
        return words.join(' ');
    }
    /// The graph of the function `f`.
    static std::string textOfFunction(const std::string& file) {
        SourceOptions options;
        options.name = "f";
        return graphText(traceFile(file, options, {})->graph);
    }
    QString failure(const char* text, const SourceOptions& options = {}) {
        try {
            traceFile(write("net.py", text), options, {});
        } catch (const Error& error) {
            return QString::number(static_cast<int>(error.kind())) + " " + error.what() + " @ " +
                   QString::fromStdString(error.where);
        }
        return "traced";
    }

private Q_SLOTS:
    void path_isSplitAtTheName() {
        QCOMPARE(splitSourcePath("a/net.py:Net")->name, std::string("Net"));
        QCOMPARE(splitSourcePath("net.py")->file, std::string("net.py"));
        QVERIFY(!splitSourcePath("net.pt"));
    }

    void buffersOfComputedConstants_stay() {
        const auto file = write("constant.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                               "    def __init__(self):\n        super().__init__()\n"
                                               "        self.register_buffer('mean', torch.ones(3))\n"
                                               "        self.register_buffer('unread', torch.ones(3))\n"
                                               "    def forward(self, x): return x + self.mean.view(1, 3)\n");
        const auto model = traceFile(file, {}, {});
        QCOMPARE(nodes(*model), QString("_tensor_constant0=_tensor_constant0 add=_operator.add"));
        const Module::Slot* mean = model->root->buffer("mean");
        QVERIFY(mean);
        QVERIFY(!mean->persistent);
        QVERIFY(!model->root->buffer("unread"));
    }

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

    void sharedModule_keepsTheNameThatIsCalled() {
        const auto file = write("shared.py", "from torch import nn\nclass Part(nn.Module):\n    def __init__(self):\n"
                                             "        super().__init__()\n        self.a = self.b = nn.Linear(2, 2)\n"
                                             "    def forward(self, x): return self.a(x)\n"
                                             "class Net(nn.Module):\n    def __init__(self):\n"
                                             "        super().__init__()\n        self.part = Part()\n"
                                             "    def forward(self, x): return self.part(x)\n");
        SourceOptions options;
        options.name = "Net";
        const auto model = traceFile(file, options, {});
        QCOMPARE(model->root->child("part")->children.size(), std::size_t{1});
    }

    /// What nodes call by one name of a container is not unread because it has another one.
    void sharedContainer_keepsWhatIsCalled() {
        const auto file = write("blocks.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                                             "        super().__init__()\n"
                                             "        block = nn.Sequential(nn.Linear(2, 2), nn.ReLU())\n"
                                             "        self.blocks = nn.ModuleList([block, block])\n"
                                             "    def forward(self, x):\n"
                                             "        for block in self.blocks: x = block(x)\n"
                                             "        return x\n");
        const auto model = traceFile(file, {}, {});
        QCOMPARE(nodes(*model),
                 "blocks_0_0=blocks.0.0 blocks_0_1=blocks.0.1 blocks_0_2=blocks.0.0 blocks_0_3=blocks.0.1");
        for (const char* path : {"blocks.0.0", "blocks.0.1"})
            QVERIFY(resolvePath(*model->root, path).kind == PathTarget::Kind::Module);
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

    void decoratorThatFails_isRefusedWhereItIsUsed() {
        const char* text =
            "from torch import nn\nimport unknown_module\ndef about(cls):\n    raise OSError('no source')\n"
            "@about\nclass Net(nn.Module):\n    def forward(self, x): return x + 1\n"
            "@unknown_module.kept\ndef lost(x): return x\ndef other(x): return x + 2\n";
        SourceOptions options;
        options.name = "Net";
        QVERIFY(failure(text, options).contains("cannot follow the decorator of 'Net': OSError: no source"));
        options.name = "lost";
        QVERIFY(failure(text, options).contains("unknown decorator 'unknown_module.kept' of 'lost'"));
        options.name = "other";
        QCOMPARE(failure(text, options), "traced");
    }

    void resultOfUnknownFunction_isRefusedWhereItIsUsed() {
        const char* text = "import unknown_module\ndef double(x): return x * 2\n"
                           "double = unknown_module.jit(double)\ndef net(x): return double(x)\n";
        SourceOptions options;
        options.name = "net";
        QVERIFY(failure(text, options).contains("unknown_module.jit()"));
    }

    void baseThatCannotBeFollowed_isRefusedWithItsReason() {
        const char* text = "from torch import nn\nclass Base(nn.Module):\n    size = len(3)\n"
                           "class Net(Base):\n    def forward(self, x): return x\n";
        SourceOptions options;
        options.name = "Net";
        QVERIFY(failure(text, options).contains("has no len()"));
    }

    void decoratorThatOnlyDocuments_isLeftOutWhenItFails() {
        const char* text = "def write(obj):\n    obj.__doc__ = missing\n    return obj\n"
                           "def about(obj=None, text=''):\n    def inner(obj):\n        if text:\n"
                           "            return write(obj)\n        return write(obj)\n"
                           "    if obj:\n        return inner(obj)\n    return inner\n"
                           "def changes(obj):\n    obj.scale = 2\n    missing\n    return obj\n"
                           "def wraps(obj):\n    missing\n    return lambda x: obj(x) + 1\n"
                           "@about\ndef one(x): return x + 1\n@about(text='a')\ndef two(x): return x + 1\n"
                           "@changes\ndef three(x): return x + 1\n@wraps\ndef four(x): return x + 1\n";
        SourceOptions options;
        for (const char* name : {"one", "two"}) {
            options.name = name;
            QCOMPARE(failure(text, options), "traced");
        }
        for (const char* name : {"three", "four"}) {
            options.name = name;
            QVERIFY(failure(text, options).contains("NameError: name 'missing' is not defined"));
        }
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

    void generatorsThatCannotBeFollowed_areRefused() {
        const char* text = "def left(x):\n    def g():\n        try:\n            yield x + 1\n"
                           "        finally:\n            x.relu()\n    it = g()\n    return next(it)\n"
                           "def nested(x):\n    def g():\n        y = abs((yield x))\n        yield y\n"
                           "    it = g()\n    return next(it)\n";
        SourceOptions options;
        options.name = "left";
        QVERIFY(failure(text, options).contains("the generator was left inside a 'try'"));
        options.name = "nested";
        QVERIFY(failure(text, options).contains("unsupported 'yield' inside an expression"));
    }

    void namesForTypeCheckers_areFoundInPackagesThatLoadLazily() {
        QDir(m_folder.path()).mkpath("lazy");
        write("lazy/__init__.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .parts import *\n"
                                  "    from .other import Two as Second\nelse:\n    import sys\n"
                                  "    sys.modules[__name__] = unknown_loader(__name__)\n");
        write("lazy/parts.py", "def one(x): return x + 1\n");
        write("lazy/other.py", "def Two(x): return x * 2\n");
        const auto file = write("net.py", "from lazy import one, Second\ndef f(x): return Second(one(x))\n");
        SourceOptions options;
        options.name = "f";
        QCOMPARE(nodes(*traceFile(file, options, {})), "add=_operator.add mul=_operator.mul");
    }

    void filesOfPackages_areTracedByThemselves() {
        QDir(m_folder.path()).mkpath("package/inner"); // which has no __init__.py
        write("package/__init__.py", "from .base import *\nfrom .net import *\n");
        write("package/base.py", "from torch import nn\nclass Base(nn.Module): pass\n");
        const auto file = write("package/net.py", "from . import Base\nclass Net(Base):\n"
                                                  "    def forward(self, x): return x + 1\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "add=_operator.add");
        const auto inner = write("package/inner/net.py", "from ..base import Base\nclass Net(Base):\n"
                                                         "    def forward(self, x): return x * 2\n");
        SourceOptions options;
        options.paths = {m_folder.path().toStdString()};
        QCOMPARE(nodes(*traceFile(inner, options, {})), "mul=_operator.mul");
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

    void classes_areFollowedThroughImportsAndBases() {
        write("blocks.py",
              "from torch import nn\nclass Mixin:\n    def twice(self, x): return self.act(self.act(x))\n"
              "class Base(nn.Module):\n    def __init__(self, *sizes, act=nn.ReLU):\n        super().__init__()\n"
              "        self.act = act()\n        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in "
              "zip(sizes, sizes[1:])])\n");
        const auto file = write("net.py", "from blocks import Mixin, Base\nimport unknown_package\n"
                                          "class Net(Mixin, Base):\n    def forward(self, x):\n"
                                          "        for layer in self.layers:\n            x = self.twice(layer(x))\n"
                                          "        return x.view(-1)\n");
        SourceOptions options;
        options.args = {Argument(2), Argument(3), Argument(4)};
        const auto made = traceFile(file, options, {});
        QCOMPARE(nodes(*made), "layers_0=layers.0 act=act act_1=act layers_1=layers.1 act_2=act act_3=act view=view");
        QCOMPARE(made->className, std::string("Net"));
        QCOMPARE(made->format, Format::Python);
    }

    void statementsOnOneLine_allRun() {
        const auto file =
            write("net.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                            "        super().__init__(); self.a = nn.ReLU(); self.b = nn.Tanh()\n"
                            "    def forward(self, x):\n        y = self.a(x); z = self.b(y); return z\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "a=a b=b");
    }

    void scopes_areTheInnermostModules() {
        const auto file = write("net.py", "import torch\nfrom torch import nn\nclass Inner(nn.Module):\n"
                                          "    def forward(self, x): return torch.relu(x)\n"
                                          "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                          "        self.inner = nn.Sequential(Inner())\n"
                                          "    def forward(self, x): return self.inner(x) + 1\n");
        SourceOptions options;
        options.name = "Net";
        const auto made = traceFile(file, options, {});
        const auto* scopes = dynamic_cast<const SourceScopes*>(made->origin.get());
        QVERIFY(scopes);
        const auto scopeOf = [&](const char* name) { return scopes->of(index(made->graph.find(name))); };
        QCOMPARE(scopeOf("relu").path, std::string("inner.0"));
        QCOMPARE(scopeOf("relu").type, std::string("net.Inner"));
        QCOMPARE(scopeOf("add").path, std::string());
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

    void concreteArguments_fixInputs() {
        const auto file = write("net.py", "def f(x, flag=False):\n    return x + 1 if flag else x\n");
        SourceOptions options;
        options.concrete = {{"flag", Argument(true)}};
        QCOMPARE(nodes(*traceFile(file, options, {})), "eq=_operator.eq _assert=torch._assert add=_operator.add");
        const auto given = write("given.py", "def f(x, mask=None):\n    return x if mask is None else x * mask\n");
        options.concrete = {{"mask", phArgument()}}; // fx.PH: a proxy, so not None
        QCOMPARE(nodes(*traceFile(given, options, {})), "mul=_operator.mul");
    }

    void concreteArguments_openPytrees() {
        const auto file =
            write("net.py", "def f(x, y):\n    return {'sum': x['a'] + x['b'][0] * y, 'kept': x['b'][1]}\n");
        SourceOptions options;
        options.concreteText = "x={'a': PH, 'b': [PH, 3]}, y=2";
        const auto made = traceFile(file, options, {});
        QCOMPARE(QString::fromStdString(generatePython(*made).text),
                 "\n\n\ndef forward(self, x, y):\n"
                 "    x_1, x_2, x_3, y_1, = fx_pytree.tree_flatten_spec([x, y], self._in_spec)\n"
                 "    eq = x_3 == 3;  x_3 = None\n"
                 "    _assert = torch._assert(eq, 'x has been specialized to have value 3 but got another value');  "
                 "eq = _assert = None\n"
                 "    eq_1 = y_1 == 2;  y_1 = None\n"
                 "    _assert_1 = torch._assert(eq_1, 'y has been specialized to have value 2 but got another value');"
                 "  eq_1 = _assert_1 = None\n"
                 "    mul = x_2 * 2;  x_2 = None\n"
                 "    add = x_1 + mul;  x_1 = mul = None\n"
                 "    return pytree.tree_unflatten([add, 3], self._out_spec)\n    ");
        options.concreteText = "x=[PH, PH]";
        QVERIFY(failure("def f(x, y=1):\n    return x[0]\n", options).contains("no place for 'y'"));
    }

    void shapesOfParameters_areNumbersWhenAsked() {
        const auto file = write("net.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                          "    def __init__(self):\n        super().__init__()\n"
                                          "        self.weight = nn.Parameter(torch.zeros(3, 5))\n"
                                          "    def forward(self, x):\n"
                                          "        return x.view(self.weight.shape[0], self.weight.size()[1])\n");
        QCOMPARE(nodes(*traceFile(file, {}, {})), "weight=weight getattr_1=getattr getitem=_operator.getitem size=size "
                                                  "getitem_1=_operator.getitem view=view");
        SourceOptions options;
        options.shapesConstant = true;
        QCOMPARE(nodes(*traceFile(file, options, {})), "weight=weight view=view");
    }

    void wrappedFunctions_areRecorded() {
        const auto file = write("net.py", "def helper(x, n):\n    return x * n\ndef f(x):\n    return helper(x, 3)\n");
        SourceOptions options;
        options.name = "f";
        QCOMPARE(nodes(*traceFile(file, options, {})), "mul=_operator.mul");
        options.wrapped = {"helper"};
        QCOMPARE(nodes(*traceFile(file, options, {})), "helper=net.helper");
    }

    void partialTraces_endWhereTracingStops() {
        const char* text = "def f(x):\n    y = x + 1\n    if y.sum() > 0:\n        return y\n    return x\n";
        QVERIFY(failure(text).contains("control flow"));
        SourceOptions options;
        options.partial = true;
        const auto made = traceFile(write("net.py", text), options, {});
        QCOMPARE(nodes(*made), "add=_operator.add sum_1=sum gt=_operator.gt");
        QCOMPARE(made->warnings.size(), 1u);
        QVERIFY(made->warnings[0].what.text().find("control flow") != std::string::npos);
    }

    void quotedLines_endWithWholeCharacters() {
        const QByteArray wide = QByteArray("\u00e9").repeated(150); // two bytes each: the quotation ends within them
        SourceOptions options;
        try {
            traceFile(write("net.py", ("def f(x):\n    return 'a" + wide + "' + y\n").constData()), options, {});
            QFAIL("traced");
        } catch (const Error& error) {
            const QByteArray source = QByteArray::fromStdString(error.source);
            QCOMPARE(QString::fromUtf8(source).toUtf8(), source);
        }
    }

    void branches_haveARemedy_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("module") << "Outer"
                                << "line 9, column 12, called from net.py:15"
                                << "with --leaf Gate";
        QTest::newRow("function") << "g"
                                  << "line 4, column 8, called from net.py:17"
                                  << "torch.fx.wrap('pick')";
        QTest::newRow("input") << "Gate"
                               << "line 9, column 12"
                               << "--concrete";
    }
    void branches_haveARemedy() {
        QFETCH(const QString, name);
        SourceOptions options;
        options.name = name.toStdString();
        const auto file = write("net.py", "import torch\nfrom torch import nn\ndef pick(x):\n    if x.sum() > 0:\n"
                                          "        return x\n    return -x\nclass Gate(nn.Module):\n"
                                          "    def forward(self, x):\n        if x.sum() > 0: return x\n"
                                          "        return -x\nclass Outer(nn.Module):\n    def __init__(self):\n"
                                          "        super().__init__(); self.gate = Gate()\n"
                                          "    def forward(self, x):\n        return self.gate(x)\n"
                                          "def g(x):\n    return pick(x)\n");
        try {
            traceFile(file, options, {});
            QFAIL("traced");
        } catch (const Error& error) {
            QTEST(QString::fromStdString(error.where), "where");
            QFETCH(const QString, remedy);
            const std::string& hint = error.commandLineHint.empty() ? error.hint : error.commandLineHint;
            QVERIFY2(QString::fromStdString(hint).contains(remedy), hint.c_str());
        }
    }

    void refusals_tellWhere_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("control flow")
            << QByteArray("def g(x):\n    return x if x.sum() > 0 else -x\ndef f(x):\n    return g(x)\n")
            << "control flow @ line 2, column 17, called from net.py:4";
        QTest::newRow("iteration") << QByteArray("def f(x):\n    for y in x: pass\n")
                                   << "See the torch.fx docs on pytorch.org for a more detailed explanation";
        QTest::newRow("length") << QByteArray("def f(x):\n    return len(x)\n")
                                << "please call torch.fx.wrap('len') at module scope";
        QTest::newRow("scoped flags")
            << QByteArray("import re\ndef f(x):\n    return len(x) if re.match(r'(?a:\\w)+$', 'ab') else x\n")
            << "please call torch.fx.wrap('len')";
        QTest::newRow("no python") << QByteArray("def f(x:\n") << "0 ";
        QTest::newRow("endless loop") << QByteArray("def f(x):\n    while True: pass\n") << "the source may never end";
        QTest::newRow("endless recursion") << QByteArray("def f(x):\n    return f(x)\n") << "RecursionError";
        QTest::newRow("missing name") << QByteArray("def f(x):\n    return y\n") << "name 'y' is not defined";
        QTest::newRow("arguments") << QByteArray("def g(a): return a\ndef f(x):\n    return g(x, x)\n")
                                   << "g() takes 1 positional argument but 2 were given";
        QTest::newRow("unknown import") << QByteArray("import nothing\ndef f(x):\n    return nothing.g(x)\n")
                                        << "unknown name 'nothing.g'";
        QTest::newRow("unknown base") << QByteArray("import nothing\nclass A(nothing.B): pass\nclass C(A): pass\n"
                                                    "def f(x):\n    return C() and x\n")
                                      << "unknown name 'nothing.B'";
        QTest::newRow("circular import") << QByteArray(
                                                "from net2 import g\nfrom net import h\ndef f(x):\n    return h(x)\n")
                                         << "h";
    }
    void refusals_tellWhere() {
        QFETCH(QByteArray, text);
        QFETCH(QString, wanted);
        SourceOptions options;
        options.name = "f";
        const QString failed = failure(text.constData(), options);
        QVERIFY2(failed != "traced", "traced");
        if (wanted == "0 ")
            QVERIFY2(failed.startsWith(QString::number(static_cast<int>(ErrorKind::File))), qPrintable(failed));
        else QVERIFY2(failed.contains(wanted), qPrintable(failed));
    }

    void namesThatPyTorchLacks_haveTheNearestAsARemedy_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char* name, const char* text, const char* remedy) {
            QTest::newRow(name) << QByteArray(text) << QString(remedy);
        };
        row("function", "import torch.nn.functional as F\ndef f(x):\n    return F.softmx(x, dim=1)\n",
            "did you mean 'torch.nn.functional.softmax'?");
        row("class", "import torch.nn as nn\ndef f(x):\n    return nn.Linaer(3, 4)(x)\n",
            "did you mean 'torch.nn.Linear'?");
        row("operator", "import torch\ndef f(x):\n    return torch.ops.aten.rellu(x)\n",
            "did you mean 'torch.ops.aten.relu'?");
        row("import", "from torch.nn.functional import softmx\ndef f(x):\n    return softmx(x)\n",
            "did you mean 'torch.nn.functional.softmax'?");
        row("nothing near", "import torch\ndef f(x):\n    return torch.qqqqzzzz(x)\n", "");
        row("not PyTorch's", "class A: pass\ndef f(x):\n    return A.softmx(x)\n", "");
        row("caught",
            "import torch\ndef f(x):\n    try:\n        return torch.sigmid(x)\n"
            "    except AttributeError as e:\n        raise ValueError(e.name + str(e.obj is torch))\n",
            "");
    }
    void namesThatPyTorchLacks_haveTheNearestAsARemedy() {
        QFETCH(QByteArray, text);
        SourceOptions options;
        options.name = "f";
        try {
            traceFile(write("net.py", text.constData()), options, {});
            QFAIL("traced");
        } catch (const Error& error) {
            QTEST(QString::fromStdString(error.hint), "remedy");
            if (text.contains("except"))
                QVERIFY2(QString(error.what()).contains("ValueError: sigmidTrue"), error.what());
        }
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

    void modules_standInTheOrderOfTheirUse() {
        const auto file = write("net.py", "from torch import nn\nclass Net(nn.Module):\n"
                                          "    def __init__(self):\n        super().__init__()\n"
                                          "        self.b = nn.Linear(1, 1)\n        self.a = nn.Linear(1, 1)\n"
                                          "    def forward(self, x):\n        return self.b(self.a(x))\n");
        const auto made = traceFile(file, {}, {});
        QCOMPARE(made->root->children.size(), std::size_t{2});
        QCOMPARE(made->root->children[0].name, std::string("a"));
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

    void sizesThatStartWithAProxy_areAList() {
        QVERIFY(failure("import torch\ndef f(x):\n    return torch.zeros(x.size(0), 3)\n")
                    .contains("TypeError: zeros() takes 1 positional argument but 2 were given"));
        QCOMPARE(failure("import torch\ndef f(x):\n    return torch.zeros(3, x.size(0))\n"), "traced");
    }

    void helpersOfTyping_areNoNumbers() {
        QCOMPARE(failure("import torch\nfrom typing import dataclass_transform\n"
                         "mark = dataclass_transform(kw_only_default=True)\ndef f(x):\n    return torch.relu(x)\n"),
                 "traced");
    }

    void attributesOfProxies_areOfPythonAlone() {
        QCOMPARE(failure("def f(x):\n    x.requires_grad = True\n    assert x.requires_grad is True\n"
                         "    return x + 1\n"),
                 "traced");
        QCOMPARE(failure("import numpy as np\nimport torch\nRATES = torch.Tensor(np.linspace(0, 1, 4)).split([1, 3])\n"
                         "def f(x):\n    return x * RATES[1].tolist()[2]\n"),
                 "traced");
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

    void abstractClasses_haveNoInstances() {
        QVERIFY(failure("import abc\nfrom torch import nn\nclass Net(nn.Module, abc.ABC):\n"
                        "    @abc.abstractmethod\n    def encode(self, x): ...\n"
                        "    def forward(self, x): return x\n")
                    .contains("Can't instantiate abstract class Net with abstract method encode"));
    }

    void severalCandidates_areListed() {
        QVERIFY(failure("def f(x): return x\ndef g(x): return x\n").contains("f, g"));
    }
};

QTEST_GUILESS_MAIN(TestTraceFile)
#include "tst_trace_file.moc"

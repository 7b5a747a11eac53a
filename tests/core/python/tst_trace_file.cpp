// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/source_files.h"

#include "core/codegen/pytree_code.h"
#include "core/ir/ph.h"
#include "core/python/tracing/source_scopes.h"

#include <QtTest>

using namespace fx;

/// Python files as models: names, folders, options and modules. Graphs, code and weights are compared with torch.fx in
/// tests/oracle/traces.py.
class TestTraceFile : public QObject, protected SourceFiles {
    Q_OBJECT

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

    void modules_standInTheOrderOfTheirUse() {
        const auto file = write("net.py", "from torch import nn\nclass Net(nn.Module):\n"
                                          "    def __init__(self):\n        super().__init__()\n"
                                          "        self.b = nn.Linear(1, 1)\n        self.a = nn.Linear(1, 1)\n"
                                          "    def forward(self, x):\n        return self.b(self.a(x))\n");
        const auto made = traceFile(file, {}, {});
        QCOMPARE(made->root->children.size(), std::size_t{2});
        QCOMPARE(made->root->children[0].name, std::string("a"));
    }
};

QTEST_GUILESS_MAIN(TestTraceFile)
#include "tst_trace_file.moc"

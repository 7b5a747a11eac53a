// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/source_files.h"

#include <QtTest>

using namespace fx;

/// Files that cannot be traced: the reason, the line and the remedy.
class TestTraceRefusals : public QObject, protected SourceFiles {
    Q_OBJECT

private Q_SLOTS:
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
        QTest::newRow("default") << "h"
                                 << "line 19, column 8"
                                 << R"(--concrete '{"embed": true}')";
        QTest::newRow("two defaults") << "k"
                                      << "line 24, column 8"
                                      << R"(--concrete '{"depth": 3, "mode": "fast"}')";
        QTest::newRow("default and input") << "m"
                                           << "line 28, column 8"
                                           << "fix the inputs that decide this with --concrete";
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
                                          "def g(x):\n    return pick(x)\n"
                                          "def h(x, embed=True):\n    if embed:\n        return x\n    return -x\n"
                                          "def k(x, depth=3, mode='fast'):\n    decides = depth == mode\n"
                                          "    if decides: return x\n    return -x\n"
                                          "def m(x, embed=True):\n    decides = x * embed\n"
                                          "    if decides: return x\n    return -x\n");
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

QTEST_GUILESS_MAIN(TestTraceRefusals)
#include "tst_trace_refusals.moc"

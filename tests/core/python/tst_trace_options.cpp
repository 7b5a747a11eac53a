// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_file.h"

#include <QtTest>

using namespace fx;

/// What is asked of a trace, and what it says when that does not fit.
class TestTraceOptions : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }
    static QString targets(const GraphModule& model) {
        QStringList words;
        for (const Node& node : model.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output) words << QString::fromStdString(node.target());
        return words.join(' ');
    }

private Q_SLOTS:
    void leafThatIsNowhere_isWarnedOf() {
        const auto file = write("leafs.py", "from torch import nn\nclass Block(nn.Module):\n"
                                            "    def forward(self, x):\n        return x + 1\n"
                                            "class Net(nn.Module):\n    def __init__(self):\n"
                                            "        super().__init__()\n        self.block = Block()\n"
                                            "    def forward(self, x):\n        return self.block(x)\n");
        SourceOptions options;
        options.name = "Net";
        options.leafs = {"Block"};
        QVERIFY(traceFile(file, options, {})->warnings.empty());
        options.leafs = {"Blok", "Transformer"};
        const auto made = traceFile(file, options, {});
        QCOMPARE(targets(*made), "_operator.add");
        QCOMPARE(made->warnings.size(), 2U);
        QVERIFY(made->warnings[0].what.hint().find("Block") != std::string::npos);
        QVERIFY(made->warnings[1].what.hint().empty());
    }

    void writeWhileTraced_warns() {
        const auto file = write("counts.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                             "    def __init__(self):\n        super().__init__()\n"
                                             "        self.register_buffer('n', torch.zeros(1))\n"
                                             "    def forward(self, x):\n        self.n.add_(1)\n"
                                             "        return x + self.n\n");
        const auto made = traceFile(file, SourceOptions(), {});
        QCOMPARE(made->warnings.size(), 1U);
        QVERIFY(made->warnings[0].what.is("trace.writes_while_traced"));
        SourceOptions options;
        options.proxyBuffers = true;
        QVERIFY(traceFile(file, options, {})->warnings.empty());
    }

    void tensorsThatForwardSets_haveTheirNames() {
        const QByteArray head = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                "    def __init__(self):\n        super().__init__()\n"
                                "        self.register_buffer('n', torch.zeros(2))\n"
                                "        self.w = nn.Parameter(torch.ones(2))\n    def forward(self, x):\n";
        const auto traced = [&](const char* body) {
            return targets(*traceFile(write("sets.py", head + body), {}, {}));
        };
        QCOMPARE(traced("        self.n += 1\n        return x + self.n\n"), "n _operator.add");
        QCOMPARE(traced("        self.n = torch.ones(2)\n        return x + self.n\n"), "n _operator.add");
        QCOMPARE(traced("        old = self.n\n        self.n = torch.ones(2)\n        return x + old\n"),
                 "_tensor_constant0 _operator.add");
        QCOMPARE(traced("        self.w = nn.Parameter(torch.zeros(2))\n        return x + self.w\n"),
                 "w _operator.add");
        QCOMPARE(traced("        self.register_buffer('m', torch.ones(2))\n        return x + self.m\n"),
                 "m _operator.add");
        QCOMPARE(traced("        self._buffers['n'] = x * 2\n        return x + self.n\n"),
                 "_operator.mul _operator.add");
        QVERIFY_THROWS_EXCEPTION(Error, traced("        self.w = x\n        return x\n"));
        QVERIFY_THROWS_EXCEPTION(Error, traced("        self.n.data = x\n        return x\n"));
    }

    void attributesThatAreNoArguments_stay() {
        const auto file = write("kinds.py", "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                            "    def __init__(self):\n        super().__init__()\n"
                                            "        self.act = nn.ReLU()\n        self.act.raw = b'x'\n"
                                            "        self.act.scheme = torch.per_tensor_affine\n"
                                            "        self.act.sizes = {'a': [1, range(2)]}\n"
                                            "        self.act.format = torch.channels_last\n"
                                            "        self.format = torch.channels_last\n"
                                            "    def forward(self, x):\n        return self.act(x)\n");
        const auto made = traceFile(file, {}, {});
        const Module& act = *made->root->children[0].module;
        QVERIFY(std::get<Argument>(*act.attribute("raw")).as<Bytes>());
        QVERIFY(std::get<Argument>(*act.attribute("scheme")).as<TorchConstant>());
        QVERIFY(std::get<Argument>(*act.attribute("sizes")).as<Dict>());
        QVERIFY(act.attribute("format"));
        QVERIFY(!made->root->attribute("format"));
    }

    void nestedSettings_reachTheConstructor() {
        const auto file = write("settings.py", "from torch import nn\nclass Net(nn.Module):\n"
                                               "    def __init__(self, config):\n        super().__init__()\n"
                                               "        self.config = config\n    def forward(self, x):\n"
                                               "        return x * self.config['heads']['sizes'][1]\n");
        SourceOptions options;
        const Argument heads = Argument::dict({{Argument("sizes"), Argument::list({Argument(2), Argument(5)})}});
        options.kwargs = {{"config", Argument::dict({{Argument("heads"), heads}})}};
        const auto made = traceFile(file, options, {});
        QVERIFY(graphText(made->graph).find("args = (%x, 5)") != std::string::npos);
    }

    void remedies_fitTheReason_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("unknown module") << QByteArray("import nothing\ndef f(x):\n    return nothing.g(x)\n")
                                        << "line 1 of net.py imports it, and its module was not found"
                                        << "--path";
        QTest::newRow("a part of a known module")
            << QByteArray("import numpy as np\ndef f(x):\n    return x + len(np.busday_count('2020', '2021'))\n")
            << "Lancet does not have this part of numpy"
            << "--python";
        QTest::newRow("a download")
            << QByteArray("import torch\ndef f(x):\n    return x + len(torch.hub.load_state_dict_from_url('a'))\n")
            << "downloads a file"
            << "--weights";
        QTest::newRow("a shape decides") << QByteArray("def f(x):\n    return x + 1 if x.shape[0] > 1 else x\n")
                                         << "cannot be used as inputs to control flow"
                                         << "--input";
        QTest::newRow("a value decides") << QByteArray("def f(x):\n    return x + 1 if x.sum() > x.shape[0] else x\n")
                                         << "cannot be used as inputs to control flow"
                                         << "--concrete";
        QTest::newRow("the standard library")
            << QByteArray("import zoneinfo\ndef f(x):\n    return x + zoneinfo.ZoneInfo('UTC').key\n")
            << "part of Python's library"
            << "--python";
        QTest::newRow("a statement that failed")
            << QByteArray("S = 'a'\nX = S * 10**9\nY = [X + str(i) for i in range(10)]\n"
                          "def f(x):\n    return x + len(Y)\n")
            << "'net.Y' has no value: line 2 of net.py failed: repeated sequence is too long"
            << "--python auto";
        QTest::newRow("a statement that failed for an unknown module")
            << QByteArray("import nothing\nX = nothing.n + 1\ndef f(x):\n    return x + X\n")
            << "'net.X' has no value: line 2 of net.py failed: unknown name 'nothing.n': line 1 of net.py "
               "imports it, and its module was not found"
            << "--python auto";
        QTest::newRow("unbound local")
            << QByteArray("def f(x):\n    if False:\n        y = x\n    return y\n")
            << "UnboundLocalError: cannot access local variable 'y' where it is not associated with a value"
            << "";
    }
    void remedies_fitTheReason() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, reason);
        QFETCH(const QString, remedy);
        try {
            traceFile(write("net.py", text), {}, {});
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(reason), error.what());
            const std::string& hint = error.commandLineHint.empty() ? error.hint : error.commandLineHint;
            QVERIFY2(remedy.isEmpty() ? hint.empty() : QString::fromStdString(hint).contains(remedy), hint.c_str());
            return;
        }
        QFAIL("traced");
    }

    void modules_printAsInPython() {
        const auto file = write("shown.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                                            "        super().__init__()\n        self.linear = nn.Linear(2, 3)\n"
                                            "    def forward(self, x):\n        return x, repr(self.linear)\n");
        const std::string text = graphText(traceFile(file, {}, {})->graph);
        QVERIFY2(text.find("Linear(in_features=2, out_features=3, bias=True)") != std::string::npos, text.c_str());
    }
};

QTEST_GUILESS_MAIN(TestTraceOptions)
#include "tst_trace_options.moc"

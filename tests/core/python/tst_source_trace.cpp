// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/source_trace.h"

#include "core/ir/print.h"

#include <QtTest>

using namespace fx;

namespace {
const std::string kNet = "import torch\n"
                         "from torch import nn\n"
                         "class Block(nn.Module):\n"
                         "    def __init__(self, width, scale=2.0):\n"
                         "        super().__init__()\n"
                         "        self.fc = nn.Linear(width, width)\n"
                         "    def forward(self, x):\n"
                         "        y = self.fc(x)\n"
                         "        return torch.relu(y)\n"
                         "class Net(nn.Module):\n"
                         "    def __init__(self, depth=2):\n"
                         "        super().__init__()\n"
                         "        self.blocks = nn.ModuleList([Block(4) for _ in range(depth)])\n"
                         "    def forward(self, x, scale=1):\n"
                         "        for block in self.blocks:\n"
                         "            x = block(x)\n"
                         "        x = x + 1\n"
                         "        return x\n";
std::string replaced(std::string text, const std::string& what, const std::string& with) {
    return text.replace(text.find(what), what.size(), with);
}
} // namespace

/// Python source as an editor has it.
class TestSourceTrace : public QObject {
    Q_OBJECT

    static SourceTrace trace(const std::string& text, const SourceOptions& options = {}) {
        return traceSource("/nowhere/net.py", text, options, {});
    }
    static QString nodes(const SourceTrace& trace) {
        QStringList words;
        for (const Node& node : trace.module->graph.nodes()) words << QString::fromStdString(node.name());
        return words.join(' ');
    }
    static const Node& node(const SourceTrace& trace, const char* name) {
        return trace.module->graph.node(trace.module->graph.find(name));
    }
    static std::size_t lineOf(const std::string& text, std::size_t offset) {
        return static_cast<std::size_t>(
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n') + 1);
    }

private Q_SLOTS:
    /// Python would stop there, also where the model needs nothing of it.
    void topLevel_thatFails_isAWarningAtItsLine() {
        const std::string text = "import torch, nowhere_a.b\nfrom nowhere_c import d\nx = [1,\n     2][5]\n"
                                 "import os, numpy as np, functools\nif 0: 1 / 0\n"
                                 "try:\n    import nowhere_e\nexcept ImportError: pass\n"
                                 "def f(x):\n    import nowhere_g\n    return x\ny = nowhere_h\n" +
                                 kNet;
        const SourceTrace made = trace(text);
        QVERIFY(made.isComplete);
        QVERIFY(made.faults.empty());
        QStringList found;
        for (const Warning& warning : made.module->warnings)
            found << QStringLiteral("%1: %2")
                         .arg(warning.textPlace.line)
                         .arg(QString::fromStdString(warning.what.text()));
        QCOMPARE(
            found.join('\n'),
            QStringLiteral("1: skipped the import of 'nowhere_a.b', which was not found: Python stops here without it\n"
                           "2: skipped the import of 'nowhere_c', which was not found: Python stops here without it\n"
                           "3: skipped: Python stops here: IndexError: list index out of range\n"
                           "13: skipped: Python stops here: NameError: name 'nowhere_h' is not defined"));
    }
    void place_withinAnFString_isThatInTheFile() {
        const SourceTrace made = trace("def f(x):\n    a = 1\n    y = f'{a} {a:{b}}'\n    return x\n");
        QCOMPARE(made.faults.size(), std::size_t{1});
        QCOMPARE(made.faults[0].error.textPlace.line, std::size_t{3});
        QCOMPARE(made.faults[0].error.textPlace.column, std::size_t{19});
    }
    void topLevel_withoutEnd_isAFaultAtItsLine() {
        const std::string text = "import torch\nx = 1\nwhile True:\n    x = 2\n" + kNet;
        const SourceTrace made = trace(text);
        QCOMPARE(made.faults.size(), std::size_t{1});
        const std::size_t line = made.faults[0].error.textPlace.line;
        QVERIFY2(line == 3 || line == 4, made.faults[0].error.what());
        QCOMPARE(made.faults[0].error.file, std::string("/nowhere/net.py"));
    }
    void topLevel_thatFailsOften_isWarnedOfAHundredTimes() {
        std::string text;
        for (int i = 0; i < 300; ++i) text += "1 / 0\n";
        QCOMPARE(trace(text + kNet).module->warnings.size(), std::size_t{100});
    }

    void eval_isWhatForwardSees() {
        const std::string text =
            "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(2, 2)\n"
            "    def forward(self, x):\n"
            "        return torch.relu(x) if self.training else torch.sin(self.fc(x))\n";
        QCOMPARE(nodes(trace(text)), "x relu output");
        SourceOptions options;
        options.eval = true;
        const SourceTrace made = trace(text, options);
        QCOMPARE(nodes(made), "x fc sin output");
        QVERIFY(!made.module->root->training);
        QVERIFY(!made.module->root->child("fc")->training);
    }

    void text_isTraced_withoutAFile() {
        const SourceTrace made = trace(kNet);
        QVERIFY(made.isComplete);
        QVERIFY(made.faults.empty());
        QCOMPARE(nodes(made), "x scale blocks_0_fc relu blocks_1_fc relu_1 add output");
        QCOMPARE(made.name, std::string("Net"));
        QCOMPARE(made.candidates, (std::vector<std::string>{"Block", "Net"}));
        QCOMPARE(made.settings, std::vector<std::string>{"depth=2"});
        QCOMPARE(made.inputs, (std::vector<std::string>{"x", "scale=1"}));
    }

    void nodes_knowTheirLines_andModules() {
        const SourceTrace made = trace(kNet);
        const NodeMeta& relu = node(made, "relu_1").meta();
        QCOMPARE(relu.stackTrace, std::string("  File \"/nowhere/net.py\", line 16, in forward\n    x = block(x)\n"
                                              "  File \"/nowhere/net.py\", line 9, in forward\n"
                                              "    return torch.relu(y)\n"));
        QCOMPARE(relu.moduleStack.size(), std::size_t(1));
        QCOMPARE(relu.moduleStack[0].path, std::string("blocks.1"));
        QCOMPARE(relu.moduleStack[0].type, std::string("net.Block"));
        QVERIFY(node(made, "add").meta().moduleStack.empty());
        QVERIFY(node(made, "add").meta().stackTrace.find("line 17, in forward\n    x = x + 1") != std::string::npos);
        QVERIFY(node(made, "x").meta().stackTrace.find("line 14, in forward") != std::string::npos);
        QVERIFY(node(made, "output").meta().stackTrace.find("line 18, in forward") != std::string::npos);
    }

    void syntaxErrors_leaveTheRestOfTheGraph() {
        const std::string text = replaced(kNet, "        x = x + 1\n", "        x = x +\n");
        const SourceTrace made = trace(text);
        QVERIFY(!made.isComplete);
        QCOMPARE(nodes(made), "x scale blocks_0_fc relu blocks_1_fc relu_1");
        QCOMPARE(made.faults.size(), std::size_t(1));
        QCOMPARE(lineOf(text, made.faults[0].offset), std::size_t(17));
        QCOMPARE(made.faults[0].error.textPlace.line, std::size_t(17));
        QCOMPARE(made.faults[0].error.kind(), ErrorKind::File);
    }

    void bracketLeftOpen_doesNotTakeTheLinesAfterIt() {
        const std::string text = replaced(kNet, "        y = self.fc(x)\n", "        y = self.fc(x\n");
        const SourceTrace made = trace(text);
        QCOMPARE(made.name, std::string("Net"));
        QCOMPARE(nodes(made), "x scale");
        QVERIFY(!made.faults.empty());
    }

    void brokenMethod_costsOnlyItself() {
        const SourceTrace made = trace(replaced(kNet, "class Net", "    def unfinished(self, \nclass Net"));
        QVERIFY(made.isComplete);
        QCOMPARE(made.faults.size(), std::size_t(1));
    }

    void refusal_keepsTheGraphUpToIt() {
        const std::string text = replaced(kNet, "        x = x + 1\n", "        x = x + 1\n        if x > 0: pass\n");
        const SourceTrace made = trace(text);
        QCOMPARE(nodes(made), "x scale blocks_0_fc relu blocks_1_fc relu_1 add gt");
        QCOMPARE(made.faults.size(), std::size_t(1));
        QCOMPARE(lineOf(text, made.faults[0].offset), std::size_t(18));
        QCOMPARE(made.faults[0].error.textPlace.line, std::size_t(18));
        QVERIFY(QString(made.faults[0].error.what()).contains("control flow"));
        QVERIFY(node(made, "gt").meta().stackTrace.find("line 18") != std::string::npos);
    }

    void constructorThatFails_hasNoModule() {
        const SourceTrace made = trace(replaced(kNet, "depth=2", "depth"));
        QVERIFY(!made.module);
        QCOMPARE(made.faults.size(), std::size_t(1));
        QVERIFY(QString(made.faults[0].error.what()).contains("missing 1 required positional argument: 'depth'"));
    }

    void types_areLeafOrFollowed_byChoice() {
        const SourceTrace usual = trace(kNet);
        QCOMPARE(usual.types.size(), std::size_t(2));
        QCOMPARE(usual.types[0].path, std::string("net.Block"));
        QVERIFY(!usual.types[0].isLeaf);
        QVERIFY(usual.types[0].isUsual);
        QVERIFY(usual.types[0].count == 2);
        QVERIFY(usual.types[1].isLeaf);
        QVERIFY(usual.types[1].canChange);
        SourceOptions options;
        options.leafs = {"net.Block"};
        QCOMPARE(nodes(trace(kNet, options)), "x scale blocks_0 blocks_1 add output");
        options.leafs = {};
        options.followed = {"torch.nn.modules.linear.Linear"};
        const SourceTrace inlined = trace(kNet, options);
        QVERIFY(nodes(inlined).contains("linear"));
        QVERIFY(!inlined.types[1].isUsual);
    }

    void anything_isText() {
        for (const char* text :
             {"", "?", "class", "class Net(nn.Module):", "\"\"\"", "def f(", "((((", "x = (\n\n)\n))"})
            QVERIFY(!trace(text).isComplete);
    }
};

QTEST_APPLESS_MAIN(TestSourceTrace)
#include "tst_source_trace.moc"

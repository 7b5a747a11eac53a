// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/make/initial_weights.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

#include <bit>
#include <cstring>

using namespace fx;

/// Classes of sources without a file. Graphs, modules and weights are compared with torch.fx in
/// tests/oracle/surgery.py.
class TestTracedClass : public QObject {
    Q_OBJECT

    static QString nodes(const GraphModule& model) {
        QStringList words;
        for (const Node& node : model.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output)
                words << QString::fromStdString(node.name() + "=" + node.target());
        return words.join(' ');
    }
    static std::vector<std::uint32_t> bitsOf(const TensorPtr& tensor) {
        std::vector<std::uint32_t> bits(static_cast<std::size_t>(tensor->elementCount()));
        tensor->storage->read(0, std::as_writable_bytes(std::span(bits)));
        return bits;
    }

private Q_SLOTS:
    void definitions_areListedInOrder() {
        const auto found = definitionsOfSource("import torch\ndef a(x): return x\nclass B(nn.Module):\n    def "
                                               "forward(self, x): return x\ndef c(x): return x\n");
        QCOMPARE(found.size(), 3u);
        QCOMPARE(found[1].name, std::string("B"));
        QVERIFY(found[1].isClass);
        QVERIFY(!found[2].isClass);
    }

    void modules_areMadeAndTraced() {
        const GraphModule model = traceDefinition(R"(
WIDTH = 4
class Block(nn.Module):
    def __init__(self, width, act=F.relu):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.act = act
    def forward(self, x):
        return self.act(self.lin(x))

class Net(nn.Module):
    scale = 2
    def __init__(self, depth=2):
        super(Net, self).__init__()
        self.depth = depth
        self.blocks = nn.ModuleList([Block(WIDTH) for _ in range(self.depth)])
        self.head = nn.Sequential(nn.Linear(WIDTH, 8), nn.ReLU())
        self.w = nn.Parameter(torch.ones(4))
        self.register_buffer("b", torch.arange(4))
    def helper(self, x, k=1):
        return x * self.scale + k
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        x = self.helper(x, k=3) * self.w + self.b
        return self.head(x) if self.depth == 2 else x
)",
                                                  {"Net", true});
        QCOMPARE(nodes(model),
                 QString("blocks_0_lin=blocks.0.lin relu=torch.nn.functional.relu blocks_1_lin=blocks.1.lin "
                         "relu_1=torch.nn.functional.relu mul=_operator.mul add=_operator.add "
                         "w=w mul_1=_operator.mul b=b add_1=_operator.add head_0=head.0 head_1=head.1"));
        QCOMPARE(resolvePath(*model.root, "blocks.1.lin.weight").tensor->sizes, (std::vector<std::int64_t>{4, 4}));
        QCOMPARE(resolvePath(*model.root, "b").tensor->dtype, DType::Int64);
        QCOMPARE(resolvePath(*model.root, "w").kind, PathTarget::Kind::Parameter);
        QVERIFY(model.root->training);
    }

    void whatCannotBeMade_isRefusedAtItsLine_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* body, const char* reason) {
            QTest::newRow(body) << QByteArray(body) << QString(reason);
        };
        row("self.l = nn.LazyLinear(4)", "no weights");
        row("self.l = nn.RNNBase('LSTM', 2, 3)", "base class");
        row("self.l = nn.TransformerEncoder(3, 2)", "expected a module as setting");
        row("self.w = nn.Parameter(torch.randn(3, 4).svd()[0])", "cannot compute the values");
        row("self.w = nn.Parameter(torch.logspace(0, 1, 4))", "cannot compute the values of torch.logspace(0, 1, 4)");
        row("self.l = nn.Linear(3)", "out_features");
        row("self.l = Unknown()", "Unknown");
        row("self.register_buffer('b', 3)", "cannot assign 'int' object to buffer 'b'");
        row("self.a = nn.Linear(super, 3)", "");
        row("self.a = [self, super()]; self.a.b.c = 3", "");
    }
    void whatCannotBeMade_isRefusedAtItsLine() {
        QFETCH(QByteArray, body);
        QFETCH(QString, reason);
        const std::string source =
            "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " + body.toStdString() +
            "\n    def forward(self, x):\n        return x\n";
        try {
            (void)traceDefinition(source, {"R", true});
            QFAIL("made");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromStdString(error.where).startsWith("line 4"), error.where.c_str());
        }
    }

    /// Modules of modules: bit for bit in tests/oracle/new_modules.py; here what they are made of, and that they can be
    /// changed.
    void compositeModules_areMadeWithTheirParts() {
        const GraphModule model = traceDefinition(R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, 2, bidirectional=True)
        layer = nn.TransformerEncoderLayer(8, 2, 16, activation=F.gelu, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))
        self.encoder.layers[1].dropout.p = 0.5
        nn.init.zeros_(self.encoder.layers[0].linear1.weight)
    def forward(self, x):
        return self.encoder(self.rnn(x)[0])
)",
                                                  {"Net", true});
        QCOMPARE(nodes(model), QString("rnn=rnn getitem=_operator.getitem encoder=encoder"));
        QCOMPARE(resolvePath(*model.root, "rnn.weight_ih_l1_reverse").tensor->sizes,
                 (std::vector<std::int64_t>{32, 16}));
        QCOMPARE(*resolvePath(*model.root, "encoder.layers.1.dropout.p").value, Argument(0.5));
        QCOMPARE(*resolvePath(*model.root, "encoder.layers.0.dropout.p").value, Argument(0.1));
        QCOMPARE(*resolvePath(*model.root, "encoder.use_nested_tensor").value, Argument(true));
        QCOMPARE(bitsOf(resolvePath(*model.root, "encoder.layers.0.linear1.weight").tensor)[0], 0u);
        QVERIFY(bitsOf(resolvePath(*model.root, "encoder.layers.1.linear1.weight").tensor)[0] != 0u);
    }

    void patterns_needNoValues() {
        DefinitionSettings settings;
        settings.needsValues = false;
        const char* source =
            "class P(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = "
            "nn.Parameter(torch.logspace(0, 1, 4))\n    def forward(self, x):\n        return x * self.w\n";
        QCOMPARE(nodes(traceDefinition(source, {"P", true}, settings)), QString("w=w mul=_operator.mul"));
    }
};

QTEST_APPLESS_MAIN(TestTracedClass)
#include "tst_traced_class.moc"

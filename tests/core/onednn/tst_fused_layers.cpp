// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/fused_layer.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

class TestFusedLayers : public QObject {
    Q_OBJECT

    static GraphModule net(const QByteArray& init, const QByteArray& body) {
        return traceDefinition("import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
                               "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " +
                                   init.toStdString() +
                                   "\n        self.eval()\n    def forward(self, x, y):\n        " +
                                   body.toStdString() + "\n",
                               {"Net", true});
    }
    /// "conv+relu(min, max) <other>" of each group.
    static QString groups(const GraphModule& model) {
        QStringList out;
        for (const onednn::FusedLayer& each : onednn::findFusedLayers(model).layers) {
            QStringList names;
            for (const NodeId id : each.nodes) names << QString::fromStdString(model.graph.node(id).name());
            QString text = names.join('+');
            if (each.activation) {
                text += ":" + QString::fromStdString(each.activation->attribute + each.activation->algorithm);
                for (const double number : each.activation->numbers) text += " " + QString::number(number);
            }
            if (each.other != kNoNode) text += " <" + QString::fromStdString(model.graph.node(each.other).name()) + ">";
            out << text;
        }
        return out.join(", ");
    }

private Q_SLOTS:
    void graph_givesTheseGroups_data() {
        QTest::addColumn<QByteArray>("init");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("leftOut"); ///< code of the only reason
        const auto row = [](const char* name, const char* init, const char* body, const char* expected,
                            const char* leftOut = "") {
            QTest::newRow(name) << QByteArray(init) << QByteArray(body) << QString(expected) << QString(leftOut);
        };
        const char* conv = "self.c = nn.Conv2d(3, 3, 3, padding=1)";
        row("activation", conv, "return F.relu(self.c(x)) + y", "c+relu:relu");
        row("module, in place", "self.c = nn.Conv2d(3, 3, 1); self.a = nn.ReLU6(inplace=True)",
            "return self.a(self.c(x))", "c+a:hardtanh 0 6");
        row("settings", "self.l = nn.Linear(3, 3); self.a = nn.GELU('tanh')", "return self.a(self.l(x))",
            "l+a:gelutanh");
        row("slope", "self.l = nn.Linear(3, 3)", "return F.leaky_relu(self.l(x), 0.25)",
            "l+leaky_relu:leaky_relu 0.25");
        row("method", conv, "return self.c(x).sigmoid_()", "c+sigmoid_:sigmoid");
        row("add, relu", conv, "return torch.relu(self.c(x) + y)", "c+add+relu:relu <y>");
        row("added in place", conv, "a = self.c(x)\n        a += y\n        return a.relu_()", "c+add+relu_:relu <y>");
        row("added to its own input", conv, "return self.c(x) + x", "c+add <x>");
        row("two layers", "self.c = nn.Conv2d(3, 3, 1); self.d = nn.Conv2d(3, 3, 1)", "return self.c(x) + self.d(y)",
            "d, c+add <d>");
        row("no gelu after add", "self.l = nn.Linear(3, 3)", "return F.gelu(self.l(x) + y)", "l+add <y>");
        row("transposed", "self.c = nn.ConvTranspose2d(3, 3, 3, stride=2)", "return torch.tanh(self.c(x)) + y",
            "c+tanh:tanh");
        row("weights of the model", "self.w = nn.Parameter(torch.zeros(4, 3))", "return F.silu(F.linear(x, self.w))",
            "linear+silu:swish");
        row("alpha", conv, "return torch.add(self.c(x), y, alpha=2)", "c");
        row("twice the same", conv, "a = self.c(x)\n        return a + a", "c");
        row("one module, two calls", conv, "return torch.relu(self.c(torch.relu(self.c(x))))",
            "c+relu:relu, c_1+relu_1:relu");
        row("other users", conv, "a = self.c(x)\n        return torch.relu(a) * a", "c", "passes.onednn_users");
        row("writes to an input", conv, "y.add_(self.c(x))\n        return y.relu()", "c", "passes.onednn_writes");
        row("input written in between", conv, "a = self.c(x)\n        x.mul_(2)\n        return torch.relu(a) + x", "c",
            "passes.onednn_written");
        row("weights computed", "self.w = nn.Parameter(torch.zeros(4, 3))", "return F.linear(x, self.w * 2)", "",
            "passes.onednn_weights");
        row("double", "self.w = nn.Parameter(torch.zeros(4, 3, dtype=torch.float64))", "return F.linear(x, self.w)", "",
            "passes.onednn_dtype");
        row("reflected", "self.c = nn.Conv2d(3, 3, 3, padding=1, padding_mode='reflect')", "return self.c(x)", "",
            "passes.onednn_padding_mode");
        row("same", "self.c = nn.Conv2d(3, 3, 3, padding='same', dilation=2)", "return torch.relu(self.c(x))",
            "c+relu:relu");
        row("same, as a call", "self.w = nn.Parameter(torch.zeros(3, 3, 3, 1))",
            "return F.conv2d(x, self.w, padding='same')", "conv2d");
        row("valid", "self.c = nn.Conv2d(3, 3, 2, padding='valid')", "return self.c(x)", "c");
        row("same, of an even kernel", "self.c = nn.Conv2d(3, 3, 2, padding='same')", "return self.c(x)", "",
            "passes.onednn_padding_same");
        row("one dimension", "self.c = nn.Conv1d(3, 3, 1)", "return torch.relu(self.c(x))", "",
            "passes.onednn_one_dimension");
    }
    void graph_givesTheseGroups() {
        QFETCH(QByteArray, init);
        QFETCH(QByteArray, body);
        QFETCH(QString, expected);
        QFETCH(QString, leftOut);
        const GraphModule model = net(init, body);
        QCOMPARE(groups(model), expected);
        const auto found = onednn::findFusedLayers(model);
        QCOMPARE(found.leftOut.empty() ? QString() : QString::fromStdString(found.leftOut.front().why.code()), leftOut);
    }

    void geometry_isThatOfTheModule() {
        const GraphModule model = net("self.c = nn.ConvTranspose2d(4, 6, 3, stride=(2, 1), padding=1, "
                                      "output_padding=(1, 0), groups=2, dilation=2)",
                                      "return self.c(x)");
        const auto found = onednn::findFusedLayers(model);
        QCOMPARE(found.layers.size(), std::size_t{1});
        const onednn::Layer& layer = found.layers[0].layer;
        QCOMPARE(layer.stride, (std::vector<std::int64_t>{2, 1}));
        QCOMPARE(layer.padding, (std::vector<std::int64_t>{1, 1}));
        QCOMPARE(layer.outputPadding, (std::vector<std::int64_t>{1, 0}));
        QCOMPARE(layer.dilation, (std::vector<std::int64_t>{2, 2}));
        QCOMPARE(layer.groups, 2);
    }

    void padding_same_isThatOfTheKernel() {
        const GraphModule model =
            net("self.c = nn.Conv2d(4, 6, (3, 5), padding='same', dilation=(2, 1))", "return self.c(x)");
        const auto found = onednn::findFusedLayers(model);
        QCOMPARE(found.layers.size(), std::size_t{1});
        QCOMPARE(found.layers[0].layer.padding, (std::vector<std::int64_t>{2, 2}));
    }

    void wholeGraph_isALayerOnlyIfNothingElseIsInIt() {
        const char* linear = "self.l = nn.Linear(3, 3)";
        QVERIFY(onednn::asFusedLayer(net(linear, "return torch.relu(self.l(x))")));
        QVERIFY(onednn::asFusedLayer(net(linear, "return self.l(x) + y")));
        QVERIFY(!onednn::asFusedLayer(net(linear, "return torch.relu(self.l(x)) * 2")));
        QVERIFY(!onednn::asFusedLayer(net(linear, "return self.l(torch.exp(x))")));
    }
};

QTEST_GUILESS_MAIN(TestFusedLayers)
#include "tst_fused_layers.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/diag/error.h"
#include "core/edit/extract.h"
#include "core/model_files/open.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Compared with torch.fx's fuse_as_graphmodule in tests/oracle/extracts.py.
class TestExtract : public QObject {
    Q_OBJECT

    static Extracted extracted(const GraphModule& model, const QString& names) {
        std::vector<NodeId> ids;
        for (const QString& name : names.split(',')) ids.push_back(model.graph.find(name.toStdString()));
        return extractNodes(model, ids);
    }

private Q_SLOTS:
    void selection_isAModel_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("code"); // def line | return line
        QTest::newRow("middle") << "neg"
                                << "def forward(self, relu): | return neg";
        QTest::newRow("inputs by first use") << "add,mul"
                                             << "def forward(self, neg, y, relu): | return (add, mul)";
        QTest::newRow("value used inside and outside") << "relu,neg"
                                                       << "def forward(self, x): | return (relu, neg)";
        QTest::newRow("used by nothing") << "exp,add"
                                         << "def forward(self, neg, y): | return (add, exp)";
        QTest::newRow("gap") << "relu,add"
                             << "def forward(self, x, neg, y): | return (relu, add)";
        QTest::newRow("input") << "x,relu"
                               << "def forward(self, x): | return relu";
        QTest::newRow("input alone") << "y"
                                     << "def forward(self, y = 1): | return y";
        QTest::newRow("input with default behind others") << "y,add"
                                                          << "def forward(self, neg, y = 1): | return add";
        QTest::newRow("output") << "mul,output"
                                << "def forward(self, add, relu): | return [mul, {'a': mul}]";
        QTest::newRow("order of the graph, each once") << "add,neg,add,relu"
                                                       << "def forward(self, x, y): | return (relu, add)";
    }
    void selection_isAModel() {
        QFETCH(QString, nodes);
        const GraphModule whole =
            traceFunctionSource("def net(x, y=1):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    c = b + y\n    "
                                "torch.exp(c)\n    d = c * a\n    return [d, {'a': d}]\n");
        const Extracted part = extracted(whole, nodes);
        const QString text = QString::fromStdString(generatePython(part.model.graph).text);
        const QString def = text.mid(text.indexOf("def"), text.indexOf(":\n") + 1 - text.indexOf("def"));
        QString back = text.mid(text.lastIndexOf("return")).trimmed();
        QTEST(def + " | " + back, "code");
        std::size_t placeholders = 0;
        for (const Node& node : part.model.graph.nodes()) placeholders += node.op() == Op::Placeholder;
        QCOMPARE(part.inputs.size(), placeholders);
    }

    void onlyNeededModules_comeAlong() {
        const auto whole = openModel(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
        const Extracted part = extracted(*whole, "layer1_0_conv1,layer1_0_bn1");
        QStringList paths;
        forEachModule(*part.model.root,
                      [&](const std::string& path, const Module&) { paths << QString::fromStdString(path); });
        QCOMPARE(paths, (QStringList{"", "layer1", "layer1.0", "layer1.0.conv1", "layer1.0.bn1"}));
        const auto target = [](const GraphModule& model) { return resolvePath(*model.root, "layer1.0.conv1").module; };
        QCOMPARE(target(part.model), target(*whole)); // shared, not copied
    }

    void exportedParameters_becomeAttributes() {
        const auto whole = openModel(LANCET_SOURCE_DIR "/resources/samples/transformer.pt2");
        std::string linear;
        for (const Node& node : whole->graph.nodes())
            if (node.target() == "torch.ops.aten.linear.default" && linear.empty()) linear = node.name();
        QVERIFY(!linear.empty());
        const Extracted part = extracted(*whole, QString::fromStdString(linear));
        QCOMPARE(part.inputs.size(), 1u);
        int attributes = 0;
        for (const Node& node : part.model.graph.nodes()) {
            if (node.op() != Op::GetAttr) continue;
            ++attributes;
            QVERIFY(resolvePath(*part.model.root, node.target()).tensor);
        }
        QCOMPARE(attributes, 2);
        QVERIFY(part.model.lifted.empty());
        QCOMPARE(part.model.format, Format::GraphModule);
    }

    void emptySelection_isRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, extractNodes(traceFunctionSource("def f(x): return x"), {}));
    }
};

QTEST_APPLESS_MAIN(TestExtract)
#include "tst_extract.moc"

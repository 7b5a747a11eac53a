// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/changed_part.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/model_files/open.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

class TestChangedPart : public QObject {
    Q_OBJECT

    static QString names(const GraphModule& model, const std::vector<NodeId>& ids) {
        QStringList list;
        for (const NodeId id : ids) list << QString::fromStdString(model.graph.node(id).name());
        list.sort();
        return list.join(",");
    }
    /// "relu < x: a conv b conv": exits, entries by A's name, and nodes that changed.
    static QString told(const GraphModule& a, const GraphModule& b) {
        const ChangedPart part(a, b);
        if (part.identical()) return "identical";
        if (part.sameOutputs()) return "same outputs";
        std::vector<NodeId> exits, entries;
        for (const auto& [x, y] : part.exits()) exits.push_back(x);
        for (const auto& entry : part.regionOf(part.exits()).entries) entries.push_back(entry.producer);
        return names(a, exits) + " < " + names(a, entries);
    }

private Q_SLOTS:
    void models_exitsAndEntries_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("expected");
        const QString head = "def net(x, y):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    c = b + y\n";
        const auto row = [](const char* name, const QString& a, const QString& b, const char* expected) {
            QTest::newRow(name) << a << b << QString(expected);
        };
        row("equal", head + "    return c", head + "    return c", "identical");
        row("other names", head + "    return c",
            "def net(p, q):\n    u = torch.relu(p)\n    v = torch.neg(u)\n    w = v + q\n    return w", "identical");
        row("dead code", head + "    d = torch.sin(c)\n    return c", head + "    return c", "same outputs");
        row("common subexpression",
            "def net(x):\n    a = torch.sin(x)\n    b = torch.sin(x)\n    return torch.cos(a) + b",
            "def net(x):\n    a = torch.sin(x)\n    return torch.cos(a) + a", "same outputs");
        row("order alone", "def net(x):\n    a = torch.neg(x)\n    b = torch.exp(x)\n    return a, b",
            "def net(x):\n    b = torch.exp(x)\n    a = torch.neg(x)\n    return a, b", "same outputs");
        row("order, but one is in place", "def net(x):\n    a = torch.neg(x)\n    b = x.mul_(2)\n    return a, b",
            "def net(x):\n    b = x.mul_(2)\n    a = torch.neg(x)\n    return a, b", "neg < x");
        const QString inPlace = "def net(x):\n    a = torch.neg(x)\n    b = a.relu_()\n";
        row("in place, read from either", inPlace + "    return torch.sin(b)", inPlace + "    return torch.sin(a)",
            " < "); // no exit: it is the same value
        row("in place through a view",
            "def net(x):\n    a = torch.neg(x)\n    b = a + 0\n    c = a.view(-1).relu_()\n    "
            "d = a + 0\n    return torch.sin(b)",
            "def net(x):\n    a = torch.neg(x)\n    b = a + 0\n    c = a.view(-1).relu_()\n    d = a + 0\n    "
            "return torch.sin(d)",
            "sin < add,add_1");
        row("what is written is changed", inPlace + "    return torch.sin(a)",
            "def net(x):\n    a = torch.neg(x)\n    b = a.sigmoid_()\n    return torch.sin(a)",
            "sin < neg"); // sigmoid_ has no counterpart
        row("literal", head + "    return torch.sin(c * 2)", head + "    return torch.sin(c * 3)", "mul < add");
        row("erased", head + "    return torch.sin(torch.exp(c))", head + "    return torch.sin(c)", "sin < add");
        row("other function", head + "    return torch.sin(torch.exp(c))", head + "    return torch.sin(torch.cos(c))",
            "exp < add"); // cos stands in its place
        row("at the end", head + "    return torch.exp(c)", head + "    return torch.cos(c)", "exp < add");
        row("two places", "def net(x):\n    a = torch.sin(x) * 2\n    b = torch.cos(a)\n    return torch.tan(b * 2)",
            "def net(x):\n    a = torch.sin(x) * 3\n    b = torch.cos(a)\n    return torch.tan(b * 3)",
            "mul,mul_1 < cos,sin");
        row("unused, but changed", head + "    d = c * 2\n    return c", head + "    d = c * 3\n    return c",
            "same outputs");
    }
    void models_exitsAndEntries() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QTEST(told(traceFunctionSource(a.toStdString()), traceFunctionSource(b.toStdString())), "expected");
    }

    void region_hasTheNodesThatRunInIt() {
        const GraphModule a = traceFunctionSource("def net(x):\n    a = torch.sin(x)\n    return torch.neg(a * 2)"),
                          b = traceFunctionSource("def net(x):\n    a = torch.sin(x)\n    return torch.neg(a * 3)");
        const ChangedPart part(a, b);
        const ChangedPart::Region region = part.regionOf(part.exits());
        QCOMPARE(names(a, region.a), QString("mul"));
        QCOMPARE(names(b, region.b), QString("mul"));
        QCOMPARE(region.size, 1u);
    }

    void region_hasWhatWritesIntoWhatItReads() {
        const GraphModule a = traceFunctionSource("def net(x):\n    a = torch.tanh(x)\n    return torch.sin(a * 2)"),
                          b = traceFunctionSource("def net(x):\n    a = torch.tanh(x)\n    b = a[0]\n"
                                                  "    c = b.mul_(3)\n    d = torch.sin(a)\n    e = a.add_(1)\n"
                                                  "    return d");
        const ChangedPart part(a, b);
        const ChangedPart::Region region = part.regionOf(part.exits());
        QCOMPARE(names(b, region.b), QString("getitem,mul_,sin")); // a copy of the view would not show the write
        QCOMPARE(names(a, region.producers()), QString("tanh"));
    }

    void computedConstants_areComparedByWhatTheyRead() {
        const auto model = [](char byte) {
            const auto tensorOf = [](std::shared_ptr<const Storage> storage) {
                TensorRef tensor;
                tensor.sizes = {1}, tensor.strides = {1}, tensor.storage = std::move(storage);
                return std::make_shared<const TensorRef>(tensor);
            };
            GraphModule out = traceFunctionSource("def net(x):\n    return x");
            out.root->buffers.push_back({"w", tensorOf(Storage::inMemory(std::vector(4, std::byte(byte))))});
            out.root->buffers.push_back({"c", tensorOf(Storage::expression("torch.sigmoid(self.w)", 4))});
            out.root->buffers.push_back({"d", tensorOf(Storage::expression("torch.neg(self.c)", 4))});
            const NodeId output = out.graph.outputNode(), constant = out.graph.createNode(Op::GetAttr, "d");
            out.graph.setArgs(output, {constant});
            out.graph.moveBefore(constant, output);
            return out;
        };
        const GraphModule a = model(1);
        QVERIFY(ChangedPart(a, model(1)).identical());
        QVERIFY(!ChangedPart(a, model(2)).identical());
        QVERIFY(ChangedPart(a, model(2)).otherUnused().empty()); // the constants read it
    }

    void tensorsThatNothingUses_areNamed() {
        const auto model = [](char byte, const char* used) {
            TensorRef tensor;
            tensor.sizes = {1}, tensor.strides = {1};
            tensor.storage = Storage::inMemory(std::vector(4, std::byte(byte)));
            GraphModule out = traceFunctionSource("def net(x):\n    return x");
            out.root->buffers.push_back({"w", std::make_shared<const TensorRef>(tensor)});
            const NodeId output = out.graph.outputNode(), reader = out.graph.createNode(Op::GetAttr, "w");
            if (*used) out.graph.setArgs(output, {reader});
            out.graph.moveBefore(reader, output);
            return out;
        };
        const GraphModule a = model(1, ""), b = model(2, ""), c = model(1, "used"), d = model(2, "used");
        const ChangedPart unused(a, b), used(c, d);
        QVERIFY(unused.sameOutputs());
        QVERIFY(!unused.identical());
        QVERIFY(unused.exits().empty());
        QCOMPARE(unused.otherUnused(), std::vector<std::string>{"w"});
        QVERIFY(!used.sameOutputs());
        QVERIFY(used.otherUnused().empty());
        QVERIFY(ChangedPart(a, model(1, "")).identical());
    }

    void weights_thatChanged_areTheExit() {
        const auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt");
        QCOMPARE(told(*model, *openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt")), QString("identical"));
        GraphModule other = *model;
        applySteps(other, parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "replace_module", "path": "linear",
            "module": {"type": "torch.nn.Linear", "seed": 9,
                       "settings": {"in_features": 512, "out_features": 10}}}]})"));
        const ChangedPart part(*model, other);
        QCOMPARE(part.exits().size(), 1u);
        QCOMPARE(model->graph.node(part.exits()[0].first).name(), std::string("linear"));
    }
};

QTEST_APPLESS_MAIN(TestChangedPart)
#include "tst_changed_part.moc"

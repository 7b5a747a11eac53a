// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/nested_inputs.h"
#include "core/python/tracing/trace_definition.h"
#include "core/shapes/annotate.h"

#include <QtTest>

using namespace fx;

/// Inputs of graphs inside a model, from the shapes around them.
class TestNestedInputs : public QObject {
    Q_OBJECT

    static GraphModule traced(const std::string& body, const std::string& inputs) {
        return traceFunctionSource("def f(" + inputs + "):\n    " + body + "\n");
    }
    static void note(Graph& graph, const std::string& name, const std::vector<std::string>& sizes,
                     const std::string& dtype = "torch.float32") {
        ValueInfo info;
        info.dtype = dtype, info.sizes = sizes;
        NodeShapes shapes;
        shapes.nodes.emplace_back(name, std::vector<ValueInfo>{info});
        QVERIFY(noteShapes(graph, shapes));
    }
    /// x, y → block(x, b=y)
    static GraphModule around() {
        GraphModule model;
        const NodeId x = model.graph.placeholder("x"), y = model.graph.placeholder("y");
        model.graph.output(model.graph.createNode(Op::CallModule, "block", {Argument(x)}, {{"b", Argument(y)}}));
        return model;
    }

private Q_SLOTS:
    void callModule_bindsByPlaceAndName() {
        GraphModule model = around();
        const GraphModule nested = traced("return torch.relu(a) + b", "a, b");
        const Node& block = model.graph.node(model.graph.find("block"));
        QVERIFY(!nestedInputs(model, block, nested)); // nothing is known
        note(model.graph, "x", {"3", "5"});
        QVERIFY(!nestedInputs(model, block, nested)); // of b
        note(model.graph, "y", {"5"}, "torch.int64");
        const auto inputs = nestedInputs(model, block, nested);
        QVERIFY(inputs);
        QCOMPARE(inputs->inputs.size(), std::size_t(2));
        QCOMPARE(inputs->inputs[0].name, std::string("a"));
        QCOMPARE(inputs->inputs[0].sizes, (std::vector<std::int64_t>{3, 5}));
        QCOMPARE(inputs->inputs[1].sizes, (std::vector<std::int64_t>{5}));
        QCOMPARE(inputs->inputs[1].dtype, std::string("torch.int64"));
        // Symbols are no sizes; other arguments are another graph's.
        note(model.graph, "x", {"s0", "5"});
        QVERIFY(!nestedInputs(model, block, nested));
        QVERIFY(!nestedInputs(model, block, traced("return torch.relu(a)", "a")));
    }

    void operands_comeAfterTheGraphs() {
        GraphModule model;
        const NodeId p = model.graph.placeholder("p"), x = model.graph.placeholder("x");
        const NodeId yes = model.graph.createNode(Op::GetAttr, "true_graph_0"),
                     no = model.graph.createNode(Op::GetAttr, "false_graph_0");
        model.graph.output(model.graph.createNode(Op::CallMethod, "cond",
                                                  {Argument(p), Argument(yes), Argument(no),
                                                   Argument(Sequence{Sequence::Kind::Tuple, {Argument(x)}, nullptr})}));
        note(model.graph, "p", {});
        note(model.graph, "x", {"7"});
        const auto inputs = nestedInputs(model, model.graph.node(yes), traced("return torch.relu(a)", "a"));
        QVERIFY(inputs);
        QCOMPARE(inputs->inputs[0].sizes, (std::vector<std::int64_t>{7}));
    }
};

QTEST_APPLESS_MAIN(TestNestedInputs)
#include "tst_nested_inputs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"

#include <QTest>

using fx::Argument;

class TestPrint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void graphText_everyOp_printsAsTorchFx() {
        fx::Graph graph;
        auto tensor = std::make_shared<fx::TypeExpr>();
        tensor->module = "torch";
        tensor->name = "Tensor";
        const auto x = graph.placeholder("x", {Argument()}, tensor);
        graph.createNode(fx::Op::GetAttr, "layer1.0.weight");
        fx::Callable add;
        add.module = "_operator";
        add.name = "add";
        add.qualifiedName = "_operator.add";
        const auto sum = graph.callFunction(std::make_shared<fx::Callable>(add), {x, 2});
        graph.createNode(fx::Op::CallMethod, "view", {x, -1, Argument::slice(x, {}, 2), "text", fx::Device{"cuda", 0}},
                         {{"z", Argument::tuple({1})}});
        graph.output(Argument::tuple({sum, Argument::dict({{"a", Argument::list({x})}})}));
        QCOMPARE(
            QString::fromStdString(fx::graphText(graph)),
            QString("graph():\n"
                    "    %x : torch.Tensor [num_users=3] = placeholder[target=x](default=None)\n"
                    "    %layer1_0_weight : [num_users=0] = get_attr[target=layer1.0.weight]\n"
                    "    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 2), kwargs = {})\n"
                    "    %view : [num_users=0] = call_method[target=view](args = (%x, -1, slice(x, None, 2), text, "
                    "cuda:0), kwargs = {z: (1,)})\n"
                    "    return (add, {'a': [x]})"));
    }
};

QTEST_APPLESS_MAIN(TestPrint)
#include "tst_print.moc"

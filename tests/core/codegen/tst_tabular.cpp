// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/tabular.h"

#include <QTest>

class TestTabular : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void table_smallGraph_laysOutAsTabulate() {
        fx::Graph graph;
        fx::Callable add;
        add.name = "add";
        add.repr = "<built-in function add>";
        const auto a = graph.placeholder("a");
        const auto b = graph.placeholder("b");
        const auto sum = graph.callFunction(std::make_shared<fx::Callable>(add), {a, b}, {{"k", "v"}});
        graph.output(sum);
        QCOMPARE(QString::fromStdString(fx::tabularText(graph)),
                 QString("opcode         name    target                   args    kwargs\n"
                         "-------------  ------  -----------------------  ------  ----------\n"
                         "placeholder    a       a                        ()      {}\n"
                         "placeholder    b       b                        ()      {}\n"
                         "call_function  add     <built-in function add>  (a, b)  {'k': 'v'}\n"
                         "output         output  output                   (add,)  {}"));
    }
};

QTEST_APPLESS_MAIN(TestTabular)
#include "tst_tabular.moc"

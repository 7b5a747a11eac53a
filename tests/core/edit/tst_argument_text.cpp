// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/edit/argument_text.h"
#include "core/ir/print.h"

#include <QtTest>

using namespace fx;

class TestArgumentText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void text_readsAsPythonPrintsIt_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"x", "[x, 1]", "(x, (2, None))", "1.5", "-1", "'it\\'s'", "torch.float32", "{'a': x}",
                                 "slice(0, 2, None)", "inf", "True", "device(type='cpu')", "[]"})
            QTest::newRow(text) << QString(text);
    }
    void text_readsAsPythonPrintsIt() {
        QFETCH(QString, text);
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const Argument value = argumentFromText(text.toStdString(), graph);
        if (text.startsWith(u'\'')) QCOMPARE(value, Argument(std::string("it's")));
        else QCOMPARE(QString::fromStdString(reprOf(graph, value)), text);
        if (text == u"x") QCOMPARE(value, Argument(x));
    }
    void wrongText_isRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "   ", "x + 1", "nothing_of_that_name", "[x", "x)", "return x", "torch.relu(x)", "x\nx"})
            QTest::newRow(text) << QString(text);
    }
    void wrongText_isRefused() {
        QFETCH(QString, text);
        Graph graph;
        graph.placeholder("x");
        QVERIFY_THROWS_EXCEPTION(Error, argumentFromText(text.toStdString(), graph));
    }

    void unknownName_isToldWithoutTheFunctionAroundIt() {
        Graph graph;
        try {
            (void)argumentFromText("abc", graph);
            QFAIL("it was taken");
        } catch (const Error& error) { QCOMPARE(error.what(), "invalid value: NameError: name 'abc' is not defined"); }
    }
};

QTEST_GUILESS_MAIN(TestArgumentText)
#include "tst_argument_text.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/graph_json.h"

#include <QTest>
#include <limits>

using fx::Argument;

class TestGraphJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argument_eachKind_isWrittenAsTheContractSays_data() {
        QTest::addColumn<Argument>("argument");
        QTest::addColumn<QString>("json");
        QTest::newRow("None") << Argument() << "null";
        QTest::newRow("True") << Argument(true) << "true";
        QTest::newRow("int") << Argument(-3) << "-3";
        QTest::newRow("wide int") << Argument(fx::BigInt{"-99999999999999999999"}) << "-99999999999999999999";
        QTest::newRow("float") << Argument(1.0) << "1.0";
        QTest::newRow("small float") << Argument(1e-5) << "1e-05";
        QTest::newRow("inf") << Argument(std::numeric_limits<double>::infinity()) << "{\"repr\": \"inf\"}";
        QTest::newRow("nan") << Argument(std::numeric_limits<double>::quiet_NaN()) << "{\"repr\": \"nan\"}";
        QTest::newRow("text") << Argument("a\"b") << "\"a\\\"b\"";
        QTest::newRow("bytes") << Argument(fx::Bytes{"ab"}) << "{\"repr\": \"b'ab'\"}";
        QTest::newRow("complex") << Argument(fx::Complex{1, 2}) << "{\"repr\": \"(1+2j)\"}";
        QTest::newRow("tuple") << Argument::tuple({1, Argument::list({2})}) << "{\"tuple\": [1, [2]]}";
        QTest::newRow("dict") << Argument::dict({{"k", 1}, {2, Argument()}}) << "{\"dict\": [[\"k\", 1], [2, null]]}";
        QTest::newRow("slice") << Argument::slice({}, 3, {}) << "{\"slice\": [null, 3, null]}";
        QTest::newRow("dtype") << Argument::dtype("torch.float32") << "{\"repr\": \"torch.float32\"}";
        QTest::newRow("Ellipsis") << Argument(fx::EllipsisValue()) << "{\"repr\": \"Ellipsis\"}";
        QTest::newRow("node") << Argument(fx::NodeId{0}) << "{\"node\": \"x\"}";
        QTest::newRow("node inside") << Argument::list({Argument::slice(fx::NodeId{0}, 1, {})})
                                     << "[{\"slice\": [{\"node\": \"x\"}, 1, null]}]";
    }
    void argument_eachKind_isWrittenAsTheContractSays() {
        QFETCH(Argument, argument);
        QFETCH(QString, json);
        fx::Graph graph;
        graph.placeholder("x");
        fx::JsonWriter writer;
        fx::writeArgument(writer, graph, argument);
        QCOMPARE(QString::fromStdString(writer.text()), json);
    }

    void graph_nodeWithMetadata_hasAllKeys() {
        fx::Graph graph;
        const auto x = graph.placeholder("x");
        const auto relu = graph.createNode(fx::Op::CallModule, "act", {x}, {{"k", 2}});
        graph.output(relu);
        fx::NodeMeta meta;
        meta.moduleStack = {{"L__self__", "", "Net"}, {"L__self__block", "block", "Block"}};
        meta.stackTrace = "  File \"/a/net.py\", line 3, in forward\n    return self.block(x)\n"
                          "  File \"/a/block.py\", line 9, in forward\n    y = self.act(x)\n    ^^^^\n";
        fx::ValueInfo value;
        value.dtype = "torch.float32";
        value.sizes = {"s77", "3"};
        meta.values = {value};
        graph.setMeta(relu, std::make_shared<fx::NodeMeta>(meta));
        fx::JsonWriter writer;
        fx::writeGraph(writer, graph);
        const QString text = QString::fromStdString(writer.text());
        QCOMPARE(text.split('\n').value(3).trimmed(),
                 QString("{\"name\": \"act\", \"op\": \"call_module\", \"target\": \"act\", \"args\": [{\"node\": "
                         "\"x\"}], \"kwargs\": {\"k\": 2}, "
                         "\"users\": [\"output\"], \"type\": null, \"module_path\": \"block\", "
                         "\"source\": \"/a/block.py:9 in forward, code: y = self.act(x)\", \"shape\": [\"s77\", 3], "
                         "\"dtype\": \"float32\"},"));
        QCOMPARE(text.split('\n').size(), 7);
    }

    void source_oddTraces_areEmptyOrCut_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("source");
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("no frame") << "nothing here"
                                  << "";
        QTest::newRow("cut in the name") << "File \"/a/net.py"
                                         << "";
        QTest::newRow("no code") << "File \"/a/net.py\", line 3, in forward"
                                 << "/a/net.py:3 in forward";
        QTest::newRow("blank after") << "File \"/a/net.py\", line 3, in forward\n  \n"
                                     << "/a/net.py:3 in forward";
    }
    void source_oddTraces_areEmptyOrCut() {
        QFETCH(QString, trace);
        QFETCH(QString, source);
        fx::Graph graph;
        const auto x = graph.placeholder("x");
        fx::NodeMeta meta;
        meta.stackTrace = trace.toStdString();
        graph.setMeta(x, std::make_shared<fx::NodeMeta>(meta));
        QCOMPARE(QString::fromStdString(fx::sourceLineOf(graph.node(x))), source);
    }
};

QTEST_APPLESS_MAIN(TestGraphJson)
#include "tst_graph_json.moc"
